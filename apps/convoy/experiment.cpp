#include "experiment.hpp"

#include <fmt/format.h>

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
#include "continuation.hpp"
#include "earlier_run.hpp"
#include "failure_log.hpp"
#include "launching.hpp"
#include "plan/node_classes.hpp"
#include "progress.hpp"
#include "report/run_folder.hpp"
#include "run_faults.hpp"
#include "spec/parse.hpp"
#include "spec/run_identity.hpp"
#include "spec/same_bits.hpp"
#include "spec/without_effect.hpp"
#include "strategy/compile.hpp"
#include "train/backends.hpp"

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

/// As partial_run_at; a run that is continued may have much to read, and its OUT.partial can be continued
/// whenever a signal ends the process.
std::unique_ptr<PartialRun> begun_at(Destination& destination, const CheckedSpec& checked,
                                     const RunRecord& begun, bool may_move, Continuation& from,
                                     const Voice& voice) {
    std::optional<EndOnSignal> ends;
    if (from.checkpoint) ends.emplace("interrupted; what the run had is kept, and --resume goes on");
    return partial_run_at(destination, checked, begun, may_move, from, voice);
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
    settle_last_losses(failures, from.step(), [&](std::int64_t after, std::int64_t up_to) {
        return examples_between(checked, after, up_to);
    });
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
    auto options = launch_options_of(checked, joining);
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
        logs->write(
            {}, LogLevel::info,
            fmt::format("{}: {}", finished.folder.string(), run_status_name(finished.results.status)));
    if (logs && logs->problem()) voice.warn("logs: " + *logs->problem());
    return finished;
}

}  // namespace

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
