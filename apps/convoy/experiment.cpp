#include "experiment.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/console.hpp"
#include "base/end_on_signal.hpp"
#include "base/error.hpp"
#include "base/ranks_text.hpp"
#include "base/version.hpp"
#include "cluster/launcher.hpp"
#include "cluster/seats.hpp"
#include "continuation.hpp"
#include "earlier_run.hpp"
#include "fetching.hpp"
#include "launching.hpp"
#include "measure/core_demand.hpp"
#include "measure/core_list.hpp"
#include "plan/node_classes.hpp"
#include "progress.hpp"
#include "report/planned_faults.hpp"
#include "report/run_folder.hpp"
#include "run_faults.hpp"
#include "spec/parse.hpp"
#include "spec/same_bits.hpp"
#include "spec/trace_steps.hpp"
#include "spec/without_effect.hpp"
#include "strategy/compile.hpp"
#include "train/backends.hpp"
#include "train/describe.hpp"
#include "train/node_data.hpp"
#include "train/plan_json.hpp"

namespace convoy {
namespace {

/// Finds the newest checkpoint of a run that is resumed, makes it fit the ranks of the run, and tells the
/// user.
Continuation last_checkpoint(const CheckpointFolder& folder, const CheckedSpec& checked, const Voice& voice) {
    auto found = newest_checkpoint(&folder, checked, voice);
    voice.tell(found.checkpoint
                   ? fmt::format("goes on after step {}", found.step())
                   : fmt::format("no checkpoint in {}: starts from the beginning", folder.path().string()));
    return found;
}

/// What a launch is told of the nodes of a run.
LaunchOptions options_of(const CheckedSpec& checked, const Joining& joining) {
    LaunchOptions options;
    options.spec = checked.spec;
    options.ranks = checked.plan.ranks();
    joining.apply(options);
    return options;
}

/// What the user should know about the spec.
std::vector<std::string> warnings_of(const CheckedSpec& checked, const Joining& joining) {
    const auto& spec = checked.spec;
    auto warnings = fields_without_effect(spec);
    std::ranges::move(notes_on_bits(spec), std::back_inserter(warnings));
    if (auto note = trace_note(checked)) warnings.push_back(std::move(*note));
    for (std::int64_t rank = 0; rank < spec.world_size(); ++rank) {
        const auto unmet = unmet_wish(spec.kernels_of(rank));
        if (unmet && std::ranges::find(warnings, *unmet) == warnings.end()) warnings.push_back(*unmet);
    }
    if (auto shared = shared_cores_here(checked, joining)) warnings.push_back(std::move(*shared));
    return warnings;
}

/// For a verbose voice: the data, and the classes of equal nodes.
void tell_plan(const CheckedSpec& checked, const Voice& voice) {
    if (!voice.is_verbose()) return;
    const auto& data = checked.plan.data();
    voice.detail(fmt::format("data: {} classes, {} steps, {} an epoch", checked.shape.classes, data.steps,
                             data.train.steps_per_epoch()));
    for (const auto& nodes : node_classes(checked.plan)) {
        const auto node = checked.plan.of(nodes.ranks.front());
        voice.detail(fmt::format("plan of {}: {}, {} programs", ranks_text(nodes.ranks), node.role,
                                 node.programs.size()));
    }
}

/// What is known of a run when it begins or goes on.
RunOutcome outcome_at_start(const CheckedSpec& checked, const Joining& joining, const Continuation& from) {
    RunOutcome outcome;
    outcome.resumed_from_steps = from.resumed_from_steps();
    outcome.warnings = warnings_of(checked, joining);
    outcome.warnings.insert(outcome.warnings.end(), from.warnings.begin(), from.warnings.end());
    return outcome;
}

/// The partial run that takes the results, and goes on with the records of the checkpoint. Its outcome so far
/// is that of a run that has just begun.
std::unique_ptr<PartialRun> partial_run(const CheckedSpec& checked, const RunRecord& begun,
                                        const Destination& destination, Continuation& from,
                                        const Voice& voice) {
    if (!from.checkpoint && destination.sets_aside) set_aside(partial_beside(destination.folder), voice);
    using enum PartialRun::Open;
    const auto marks = marks_of(from, destination.folder);
    const auto open = from.checkpoint ? resume : destination.trains_again ? again : fresh;
    return std::make_unique<PartialRun>(
        destination.folder, begun, checked.plan.ranks(), most_weights_bytes(checked.spec, checked.shape),
        open, from.checkpoint ? &marks : nullptr, [&destination] { require_as_found(destination); });
}

/// As partial_run; where the folder has no name given by the user, the next one is taken if another run took
/// the folder just before.
std::unique_ptr<PartialRun> partial_run_at(Destination& destination, const CheckedSpec& checked,
                                           const RunRecord& begun, bool may_move, Continuation& from,
                                           const Voice& voice) {
    constexpr int attempts = 100;
    for (int attempt = 1;; ++attempt) {
        try {
            return partial_run(checked, begun, destination, from, voice);
        } catch (const UsageError&) {
            if (!may_move || !destination.results_folder || attempt == attempts) throw;
            destination.folder = choose_run_folder(*destination.results_folder, begun.name, begun.run_id);
        }
    }
}

/// The result of read(), whose errors about the spec and about files that it names tell the spec's file, if
/// it has one.
template <typename Read>
auto naming_file(const std::filesystem::path& file, const Read& read) {
    const auto with_file = [&file](const Error& error) {
        return file.empty() ? error.what() : fmt::format("{}: {}", file.string(), error.what());
    };
    try {
        return read();
    } catch (const DataError& error) {
        throw DataError(with_file(error));
    } catch (const MissingFileError& error) {
        throw MissingFileError(with_file(error));
    }
}

void refuse_if(const std::filesystem::path& file, const std::optional<std::string>& problem) {
    naming_file(file, [&] {
        if (problem) throw DataError(*problem);
    });
}

CheckedSpec planned(const std::filesystem::path& file, ExperimentSpec spec,
                    const std::filesystem::path& data_folder, const Voice& voice) {
    const auto fetched = fetch_for(spec.dataset, data_folder, voice);
    auto shape = data_shape(spec, data_folder);
    auto plan = compile(spec, shape, hosts_of(spec));
    if (const auto problem = fault_behind_end(spec.faults, plan.data().steps)) throw DataError(*problem);
    auto need = run_need(spec, shape, plan);
    return {.file = file,
            .spec = std::move(spec),
            .shape = std::move(shape),
            .plan = std::move(plan),
            .need = std::move(need),
            .room = room_here(),
            .fetched = fetched};
}

/// As partial_run_at; a run that is continued may have much to read, and its OUT.partial can be continued
/// whenever a signal ends the process.
std::unique_ptr<PartialRun> begun_at(Destination& destination, const CheckedSpec& checked,
                                     const RunRecord& begun, bool may_move, Continuation& from,
                                     const Voice& voice) {
    std::optional<EndOnSignal> ends;
    if (from.checkpoint) ends.emplace("interrupted; what the run had is kept, and --resume goes on");
    return partial_run_at(destination, checked, begun, may_move, from, voice);
}

/// The last losses ended the run, if no step followed them: the run now goes on after from_step.
void settle_last(std::vector<NodeFailure>& failures, std::int64_t from_step, const CheckedSpec& checked) {
    bool is_last = true;
    for (auto row = failures.rbegin(); row != failures.rend(); ++row) {
        if (row->fault == fault_name(FaultKind::slow)) continue;
        // Behind an earlier loss before this step, the run has gone on already.
        if (row->first_step_after_s || row->steps_lost > 0 || (!is_last && row->step < from_step)) return;
        is_last = false;
        row->step = std::max(row->step, from_step);
        row->steps_lost = row->step - from_step;
        row->examples_lost = examples_between(checked, from_step, row->step);
    }
}

/// The metrics of a run; null if nobody wants them.
std::unique_ptr<Monitoring> monitoring_of(const MetricsPlaces& places, const Destination& destination,
                                          const CheckedSpec& checked, const PartialRun& partial,
                                          const std::vector<NodeFailure>& failures) {
    if (!places.listen && places.file.empty()) return nullptr;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    RunLabels labels{.run = destination.folder.filename().string(),
                     .run_id = run_id(checked.spec).substr(0, 12),
                     .name = checked.spec.name,
                     .version = std::string(version()),
                     .start_time_s = Seconds(now).count()};
    return std::make_unique<Monitoring>(places, std::move(labels), checked.plan.ranks(), partial.journals(),
                                        failures);
}

/// The logs of a run; absent if nobody wants them.
std::optional<NodeLogs> logs_of(const MonitoringPlaces& places, const RunOutcome& begun,
                                const PartialRun& partial) {
    if (places.logs.empty()) return std::nullopt;
    NodeLogs logs(places.logs, places.log_level);
    logs.write({}, LogLevel::info, "the run begins; keeps the results in " + partial.path().string());
    for (const auto& warning : begun.warnings) logs.write({}, LogLevel::warning, warning);
    return logs;
}

/// As run_experiment, while signals are held.
FinishedRun run_held(const CheckedSpec& checked, const RunDescription& description,
                     const std::filesystem::path& data_folder, Destination destination,
                     const CheckpointFolder* checkpoints, const Voice& voice, const Joining& joining,
                     const MonitoringPlaces& places, Continuation from) {
    auto begun = outcome_at_start(checked, joining, from);
    auto failures = from.checkpoint ? failures_before(destination.folder) : std::vector<NodeFailure>();
    settle_last(failures, from.step(), checked);
    const std::function<RunRecord(const RunOutcome&)> record =
        [&, shares = batch_shares(checked.spec, checked.shape, checked.plan),
         pipeline = planned_pipeline(checked.spec, checked.shape)](const RunOutcome& outcome) {
            auto described = description.record(outcome, shares, pipeline);
            described.failures = failures;
            return described;
        };
    const auto partial = begun_at(destination, checked, record(begun), checkpoints == nullptr, from, voice);
    if (partial->lock_warning()) begun.warnings.push_back(*partial->lock_warning());
    if (partial->lost_records()) begun.warnings.emplace_back(lost_records_line);
    const auto& warnings = begun.warnings;
    auto options = options_of(checked, joining);
    options.data_folder = data_folder;
    const auto monitoring = monitoring_of(places.metrics, destination, checked, *partial, failures);
    auto logs = logs_of(places, begun, *partial);
    std::optional<MonitoredSink> monitored;
    if (monitoring) monitored.emplace(*partial, monitoring->monitor());
    options.sink = monitored ? static_cast<RecordSink*>(&*monitored) : partial.get();
    options.weights_from = ranks_that_save(checked.plan);
    options.resume = std::move(from.checkpoint);
    forget_past_faults(options.spec.faults, failures);
    auto timed = timed_faults(checked.spec, failures);
    if (timed) options.timed_faults = &*timed;
    if (checkpoints != nullptr) {
        options.keep_checkpoint = [checkpoints, &partial](const RunCheckpoint& checkpoint) {
            partial->sync();
            checkpoints->keep(checkpoint);
        };
    }
    for (const auto& warning : warnings) voice.warn(warning);
    tell_plan(checked, voice);
    voice.detail("keeps the results in " + partial->path().string());
    ProgressLine progress(voice, &joining, partial->path() / progress_file);
    RunOutcome outcome;
    try {
        if (partial->lock_warning() || partial->lost_records()) partial->describe(record(begun));
        outcome = launch_and_restart({.checked = checked,
                                      .checkpoints = checkpoints,
                                      .partial = *partial,
                                      .folder = destination.folder,
                                      .weights_bytes = most_weights_bytes(checked.spec, checked.shape),
                                      .record = record,
                                      .begun = begun,
                                      .failures = failures,
                                      .options = std::move(options),
                                      .voice = voice,
                                      .monitoring = monitoring.get(),
                                      .logs = logs ? &*logs : nullptr},
                                     progress);
    } catch (const std::exception& error) {
        progress.clear();
        if (logs) logs->write({}, LogLevel::error, error.what());
        rethrow_with_place(*partial, destination.folder);
    }
    progress.clear();
    for (const auto& warning : outcome.warnings) voice.warn(warning);
    outcome.warnings.insert(outcome.warnings.end(), warnings.begin(), warnings.end());
    auto finished = place(*partial, record(outcome), destination, voice);
    if (monitoring) monitoring->end(finished.results.status, voice);
    if (logs)
        logs->write({}, LogLevel::info,
                    fmt::format("{}: {}", finished.folder.string(), finished.results.status));
    if (logs && logs->problem()) voice.warn("logs: " + *logs->problem());
    return finished;
}

}  // namespace

CheckedSpec check_spec(const std::filesystem::path& file, std::span<const std::string> overrides,
                       const std::filesystem::path& data_folder, const Voice& voice) {
    auto spec = load_spec(file, overrides);
    if (spec.initial_weights && ::access(spec.initial_weights->c_str(), R_OK) != 0)
        throw MissingFileError(fmt::format("{}: $.initial_weights: {}: {}", file.string(),
                                           *spec.initial_weights, std::strerror(errno)));
    return naming_file(file, [&] { return planned(file, std::move(spec), data_folder, voice); });
}

CheckedSpec check_spec(ExperimentSpec spec, const std::filesystem::path& data_folder, const Voice& voice) {
    return planned({}, std::move(spec), data_folder, voice);
}

std::int64_t examples_between(const CheckedSpec& checked, std::int64_t after, std::int64_t up_to) {
    const auto& batches = checked.plan.data().train;
    std::int64_t examples = 0;
    for (auto step = after; step < up_to; ++step)
        examples += batches.batch_examples(step % batches.steps_per_epoch());
    return examples;
}

std::int64_t share_behind(const CheckedSpec& checked, std::int64_t rank, std::int64_t after) {
    const auto& data = checked.plan.data();
    std::int64_t examples = 0;
    for (auto step = after; step < data.steps; ++step)
        examples += data.train.share_size(rank, step % data.train.steps_per_epoch());
    return examples;
}

std::string plan_text(const CheckedSpec& checked) {
    return naming_file(checked.file, [&] {
        if (does_not_fit_apart(checked.need, checked.spec, checked.room))
            return describe_layers(checked.spec, checked.shape, checked.plan) + "\n" +
                   need_text(checked.need, checked.spec);
        return describe(checked.spec, checked.shape, checked.plan, checked.need) + faults_text(checked.spec);
    });
}

nlohmann::json plan_content(const CheckedSpec& checked) {
    return naming_file(checked.file, [&] {
        const bool fits = !does_not_fit_apart(checked.need, checked.spec, checked.room);
        auto content = fits ? plan_json(checked.spec, checked.shape, checked.plan, checked.need)
                            : layers_json(checked.spec, checked.shape, checked.plan, checked.need);
        content["faults"] = planned_faults_json(planned_faults(checked.spec));
        return content;
    });
}

void require_memory(const CheckedSpec& checked, std::int64_t by_hand) {
    refuse_if(checked.file, does_not_fit(checked.need, checked.spec, checked.room, by_hand));
}

void require_memory_apart(const CheckedSpec& checked) {
    refuse_if(checked.file, does_not_fit_apart(checked.need, checked.spec, checked.room));
    if (const auto problem = does_not_fit(checked.need, checked.spec, checked.room))
        say("warning: on this machine alone the run " + *problem);
}

std::optional<std::string> trace_note(const CheckedSpec& checked) {
    const auto& data = checked.plan.data();
    return note_on_trace_steps(checked.spec, data.train.steps_per_epoch(), data.steps);
}

std::optional<std::string> shared_cores_here(const CheckedSpec& checked, const Joining& joining) {
    const auto seats = seats_of(options_of(checked, joining));
    const auto& spec = checked.spec;
    std::vector<NodeThreads> nodes;
    for (std::int64_t rank = 0; rank < std::ssize(seats); ++rank) {
        const auto& seat = seats[static_cast<std::size_t>(rank)];
        if (seat.by_hand || seat.remote || !seat.threads) continue;
        auto& node = nodes.emplace_back(NodeThreads{.rank = rank, .threads = *seat.threads});
        if (!spec.cluster) continue;
        node.host = spec.host_of(rank);
        node.host_cpu = spec.cluster->host(*node.host).cpu;
    }
    const auto found = shared_cores(nodes, usable_cores());
    return found ? std::optional(found->cause + "; " + found->remedy) : std::nullopt;
}

std::unique_ptr<CheckpointFolder> checkpoints_of(const ExperimentSpec& spec,
                                                 const std::filesystem::path& run_folder,
                                                 CheckpointFolder::Open open) {
    if (!spec.checkpoints) return nullptr;
    return std::make_unique<CheckpointFolder>(checkpoints_beside(run_folder),
                                              RunIdentity{.run_id = run_id(spec),
                                                          .training_id = training_id(spec),
                                                          .distribution_id = distribution_id(spec)},
                                              spec.checkpoints->keep, open);
}

FinishedRun run_experiment(const CheckedSpec& checked, const RunDescription& description,
                           const std::filesystem::path& data_folder, Destination destination,
                           const CheckpointFolder* checkpoints, const Voice& voice, const Joining& joining,
                           const MonitoringPlaces& places) {
    joining.require_mpi_if_used(checked.spec);
    Continuation from;
    if (checkpoints != nullptr && checkpoints->opened() == CheckpointFolder::Open::resume)
        from = last_checkpoint(*checkpoints, checked, voice);
    HeldSignals held;
    try {
        return run_held(checked, description, data_folder, std::move(destination), checkpoints, voice,
                        joining, places, std::move(from));
    } catch (...) {
        held.stay();
        throw;
    }
}

}  // namespace convoy
