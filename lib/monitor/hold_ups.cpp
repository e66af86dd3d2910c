#include "monitor/hold_ups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "measure/durations.hpp"

namespace convoy {

namespace {

/// As in a run's findings (report/step_findings.hpp): nodes that do the same work differ by some per cent in
/// any case.
constexpr double least_ratio = 1.05;
/// Of a step: where all nodes wait for the network nearly alike, none of them holds the others up.
constexpr double least_more_waiting = 0.03;

/// The order of the phases before training; training and evaluation are the last.
int order_of(std::string_view phase) {
    if (phase == phase::read) return 0;
    if (phase == phase::connect) return 1;
    return phase == phase::prepare ? 2 : 3;
}

std::string_view words_of(int order) {
    if (order == 0) return "reads data";
    return order == 1 ? "connects to its peers" : "prepares";
}

/// The mean of a node's last steps.
struct Pace {
    std::int64_t node = 0;
    double compute_us = 0.0, wait_share = 0.0;
};

std::optional<Pace> pace_of(std::int64_t rank, const NodeFigures& node) {
    Pace pace{.node = rank};
    double step_us = 0.0;
    double wait_us = 0.0;
    std::int64_t examples = 0;
    for (const auto& step : node.recent) {
        pace.compute_us += step.compute_us;
        wait_us += step.wait_us;
        step_us += step.step_us;
        examples += step.examples;
    }
    if (examples == 0 || step_us <= 0.0) return std::nullopt;
    pace.compute_us /= static_cast<double>(node.recent.size());
    pace.wait_share = wait_us / step_us;
    return pace;
}

std::vector<HoldUp> of_training(const RunFigures& figures) {
    std::vector<Pace> paces;
    for (const auto& [rank, node] : figures.nodes)
        if (rank < figures.ranks)
            if (const auto pace = pace_of(rank, node)) paces.push_back(*pace);
    if (paces.size() < 2) return {};
    const auto slowest = *std::ranges::max_element(paces, {}, &Pace::compute_us);
    std::vector<double> computes;
    std::vector<double> waits;
    for (const auto& pace : paces) {
        if (pace.node == slowest.node) continue;
        computes.push_back(pace.compute_us);
        waits.push_back(pace.wait_share);
    }
    const auto others = median(computes);
    if (others <= 0.0 || slowest.compute_us < least_ratio * others ||
        slowest.wait_share + least_more_waiting > median(waits))
        return {};
    return {{.node = slowest.node,
             .reason = fmt::format("computes {:.0f}% longer", 100.0 * (slowest.compute_us / others - 1.0))}};
}

}  // namespace

std::vector<HoldUp> hold_ups(const RunFigures& figures) {
    int first = 3;
    int last = 0;
    for (const auto& [rank, node] : figures.nodes) {
        if (!node.progress) continue;
        first = std::min(first, order_of(node.progress->phase));
        last = std::max(last, order_of(node.progress->phase));
    }
    if (first == 3) return of_training(figures);
    std::vector<HoldUp> found;
    if (first == last) return found;
    for (const auto& [rank, node] : figures.nodes)
        if (node.progress && order_of(node.progress->phase) == first)
            found.push_back({.node = rank, .reason = std::string(words_of(first))});
    return found;
}

}  // namespace convoy
