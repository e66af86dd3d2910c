#include "run_faults.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/planned_faults.hpp"

namespace convoy {

namespace {

bool has_happened(const FaultSpec& fault, std::span<const NodeFailure> failures) {
    return std::ranges::any_of(failures, [&](const NodeFailure& row) {
        return row.fault == fault_name(fault.kind) && row.fault_step == fault.step && row.node == fault.node;
    });
}

PlannedFault planned(const FaultSpec& fault) {
    return planned_fault(
        {.rank = fault.node, .kind = fault.kind, .step = fault.step, .factor = fault.factor});
}

}  // namespace

PlannedFault planned_fault(const ComingFault& fault) {
    PlannedFault planned{.kind = std::string(fault_name(fault.kind)), .node = fault.rank, .step = fault.step};
    if (fault.kind == FaultKind::slow) planned.factor = fault.factor;
    return planned;
}

std::vector<PlannedFault> planned_faults(const ExperimentSpec& spec) {
    std::vector<PlannedFault> all;
    for (const auto& fault : spec.faults.at_steps) all.push_back(planned(fault));
    if (!spec.faults.random) return all;
    for (const auto& fault : draw_faults(*spec.faults.random, spec.rank_count())) {
        all.push_back(planned_fault({.rank = fault.node, .kind = fault.kind}));
        all.back().time_s = fault.time_s;
    }
    return all;
}

std::string faults_text(const ExperimentSpec& spec) {
    std::string text;
    for (const auto& fault : planned_faults(spec)) text += fmt::format("fault: {}\n", fault_text(fault));
    return text;
}

std::optional<std::string> fault_behind_end(const FaultsSpec& faults, std::int64_t steps) {
    const auto& all = faults.at_steps;
    const auto behind = std::ranges::find_if(all, [&](const auto& fault) { return fault.step > steps; });
    if (behind == all.end()) return std::nullopt;
    return fmt::format("$.faults[{}].step: found {}, expected at most {}, the last step of the run",
                       behind - all.begin(), behind->step, steps);
}

void forget_past_faults(FaultsSpec& faults, std::span<const NodeFailure> failures) {
    std::erase_if(faults.at_steps, [&](const FaultSpec& fault) { return has_happened(fault, failures); });
}

std::optional<TimedFaults> timed_faults(const ExperimentSpec& spec, std::span<const NodeFailure> failures) {
    if (!spec.faults.random) return std::nullopt;
    auto all = draw_faults(*spec.faults.random, spec.rank_count());
    const auto past = std::ranges::count_if(
        failures, [](const NodeFailure& row) { return !row.fault.empty() && !row.fault_step; });
    const auto count = std::min<std::ptrdiff_t>(past, std::ssize(all));
    if (count > 0) {
        const auto last_s = all[static_cast<std::size_t>(count - 1)].time_s;
        all.erase(all.begin(), all.begin() + count);
        for (auto& fault : all) fault.time_s -= last_s;
    }
    return TimedFaults(all);
}

std::vector<std::string> faults_missed(const FaultsSpec& faults, std::span<const ComingFault> came) {
    std::vector<std::string> lines;
    for (const auto& fault : faults.at_steps) {
        const auto is_it = [&](const ComingFault& coming) {
            return coming.place == fault.node && coming.step == fault.step;
        };
        if (std::ranges::none_of(came, is_it))
            lines.push_back(fmt::format(
                "the fault {} did not happen: the run ended before, or the node did not begin this step",
                fault_text(planned(fault))));
    }
    return lines;
}

}  // namespace convoy
