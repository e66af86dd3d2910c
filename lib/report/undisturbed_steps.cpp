#include "report/undisturbed_steps.hpp"

#include <algorithm>
#include <map>
#include <span>

#include "base/warm_up.hpp"
#include "measure/durations.hpp"

namespace convoy {
namespace {

/// One step of all nodes.
struct Step {
    double slowest_us = 0.0;
    bool disturbed = false;
};

/// The rows of one node, by step.
using NodeSteps = std::map<std::int64_t, const StepRecord*>;

double quick_look_us(const NodeSteps& rows) {
    constexpr double share_of_quicker = 0.02;  // a clock may be higher for a moment
    std::vector<double> looks_us;
    for (const auto& [number, row] : rows) looks_us.push_back(*row->core_look_us);
    std::ranges::sort(looks_us);
    return quantile(std::span<const double>(looks_us), share_of_quicker);
}

/// Adds one node's rows to the steps, and returns the share of slow looks in percent.
double add_node(const NodeSteps& rows, double quick_us, std::map<std::int64_t, Step>& steps) {
    const auto is_slow = [&](const StepRecord& row) { return *row.core_look_us >= slow_look * quick_us; };
    std::int64_t slow = 0;
    for (auto row = rows.begin(); row != rows.end(); ++row) {
        const auto next = std::next(row);
        const bool slow_before = is_slow(*row->second);
        auto& step = steps[row->first];
        step.slowest_us = std::max(step.slowest_us, row->second->step_us);
        step.disturbed |= slow_before || next == rows.end() || is_slow(*next->second);
        slow += slow_before ? 1 : 0;
    }
    return 100.0 * static_cast<double>(slow) / static_cast<double>(rows.size());
}

}  // namespace

std::optional<UndisturbedSteps> undisturbed_steps(const std::vector<StepRecord>& steps) {
    std::map<std::int64_t, NodeSteps> by_node;
    for (const auto& row : steps) {
        if (!row.core_look_us) return std::nullopt;
        by_node[row.node][row.step] = &row;
    }
    if (by_node.empty()) return std::nullopt;
    UndisturbedSteps found;
    std::map<std::int64_t, Step> all;
    for (const auto& [node, rows] : by_node) {
        const auto quick_us = quick_look_us(rows);
        found.quick_look_us = std::max(found.quick_look_us, quick_us);
        found.slow_pct = std::max(found.slow_pct, add_node(rows, quick_us, all));
    }
    std::vector<double> times_us;
    for (auto step = std::next(all.begin(), left_out_of(std::ssize(all))); step != all.end(); ++step)
        if (!step->second.disturbed) times_us.push_back(step->second.slowest_us);
    if (std::ssize(times_us) < least_undisturbed_steps) return found;
    std::ranges::sort(times_us);
    found.p10_us = quantile(std::span<const double>(times_us), 0.1);
    return found;
}

}  // namespace convoy
