#include "checked_spec.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/console.hpp"
#include "base/error.hpp"
#include "cluster/seats.hpp"
#include "fetching.hpp"
#include "measure/core_demand.hpp"
#include "measure/core_list.hpp"
#include "report/planned_faults.hpp"
#include "run_faults.hpp"
#include "spec/parse.hpp"
#include "spec/trace_steps.hpp"
#include "train/describe.hpp"
#include "train/fitting_split.hpp"
#include "train/node_data.hpp"
#include "train/plan_json.hpp"

namespace convoy {
namespace {

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

/// What does not fit into memory, and a split of the network that would. Absent: the run fits. problem_of:
/// what does not fit of a need.
std::optional<std::string> unfit(
    const CheckedSpec& checked,
    const std::function<std::optional<std::string>(const RunNeed&, const ExperimentSpec&)>& problem_of) {
    const auto problem = problem_of(checked.need, checked.spec);
    if (!problem) return std::nullopt;
    const auto split = fitting_split(
        checked.spec, checked.shape,
        [&](const RunNeed& need, const ExperimentSpec& spec) { return !problem_of(need, spec); });
    return split ? *problem + "; " + *split : problem;
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
    refuse_if(checked.file, unfit(checked, [&](const RunNeed& need, const ExperimentSpec& spec) {
                  return does_not_fit(need, spec, checked.room, by_hand);
              }));
}

void require_memory_apart(const CheckedSpec& checked) {
    refuse_if(checked.file, unfit(checked, [&](const RunNeed& need, const ExperimentSpec& spec) {
                  return does_not_fit_apart(need, spec, checked.room);
              }));
    if (const auto problem = does_not_fit(checked.need, checked.spec, checked.room))
        say("warning: on this machine alone the run " + *problem);
}

std::optional<std::string> trace_note(const CheckedSpec& checked) {
    const auto& data = checked.plan.data();
    return note_on_trace_steps(checked.spec, data.train.steps_per_epoch(), data.steps);
}

std::optional<std::string> shared_cores_here(const CheckedSpec& checked, const Joining& joining) {
    const auto seats = seats_of(launch_options_of(checked, joining));
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

LaunchOptions launch_options_of(const CheckedSpec& checked, const Joining& joining) {
    LaunchOptions options;
    options.spec = checked.spec;
    options.ranks = checked.plan.ranks();
    joining.apply(options);
    return options;
}

}  // namespace convoy
