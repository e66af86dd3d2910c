#include "report/undisturbed_steps.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>

#include "measure/durations.hpp"
#include "report/figures.hpp"

namespace convoy {
namespace {

/// The rows of one node, by step.
using NodeSteps = std::map<std::int64_t, const StepRecord*>;

double quick_look_us(const NodeSteps& rows) {
    constexpr double share_of_quicker = 0.02;  // a clock may be higher for a moment
    std::vector<double> looks_us;
    for (const auto& [number, row] : rows) looks_us.push_back(*row->core_look_us);
    std::ranges::sort(looks_us);
    return quantile(std::span<const double>(looks_us), share_of_quicker);
}

/// Adds the steps that were disturbed on one node, and returns the share of slow looks in percent.
double add_disturbed(const NodeSteps& rows, double quick_us, std::set<std::int64_t>& disturbed) {
    const auto exceeds = [&](const StepRecord& row, double times) {
        return *row.core_look_us >= times * quick_us;
    };
    std::int64_t slow = 0;
    for (auto row = rows.begin(); row != rows.end(); ++row) {
        const auto next = std::next(row);
        if (exceeds(*row->second, undisturbed_look) || next == rows.end() ||
            exceeds(*next->second, undisturbed_look))
            disturbed.insert(row->first);
        slow += exceeds(*row->second, slow_look) ? 1 : 0;
    }
    return 100.0 * static_cast<double>(slow) / static_cast<double>(rows.size());
}

}  // namespace

std::optional<UndisturbedSteps> undisturbed_steps(const std::vector<StepRecord>& steps, std::int64_t nodes) {
    std::map<std::int64_t, NodeSteps> by_node;
    for (const auto& row : steps) {
        if (!row.core_look_us) return std::nullopt;
        by_node[row.node][row.step] = &row;
    }
    if (by_node.empty()) return std::nullopt;
    UndisturbedSteps found;
    std::set<std::int64_t> disturbed;
    for (const auto& [node, rows] : by_node) {
        const auto quick_us = quick_look_us(rows);
        found.quick_look_us = std::max(found.quick_look_us, quick_us);
        found.slow_pct = std::max(found.slow_pct, add_disturbed(rows, quick_us, disturbed));
    }
    const auto all_steps = cluster_steps_behind_warm_up(steps, nodes);
    std::vector<double> times_us;
    for (const auto& step : all_steps)
        if (!disturbed.contains(step.step)) times_us.push_back(step.step_us);
    if (!all_steps.empty())
        found.share_pct =
            100.0 * static_cast<double>(times_us.size()) / static_cast<double>(all_steps.size());
    if (std::ssize(times_us) < least_undisturbed_steps) return found;
    std::ranges::sort(times_us);
    found.p10_us = quantile(std::span<const double>(times_us), 0.1);
    return found;
}

}  // namespace convoy
