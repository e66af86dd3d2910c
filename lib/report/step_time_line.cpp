#include "report/step_time_line.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "report/figures.hpp"
#include "report/trace_clock.hpp"

namespace convoy {

namespace {

constexpr std::string_view compute_track = "compute", flight_track = "communication";
/// More exchanges in flight at once share the last lane of a node.
constexpr std::size_t most_flight_lanes = 3;

/// When a step was under way, on the launcher's clock.
struct StepSpan {
    std::int64_t from_ns = std::numeric_limits<std::int64_t>::max();
    std::int64_t to_ns = std::numeric_limits<std::int64_t>::min();
    std::size_t nodes = 0;  ///< that traced it
    [[nodiscard]] std::int64_t length_ns() const { return to_ns - from_ns; }
};

TraceClock clock_of(std::int64_t node, const std::vector<TraceSlice>& slices,
                    std::span<const NodeSummary> summaries) {
    const auto summary = std::ranges::find(summaries, node, &NodeSummary::node);
    return {slices, summary == summaries.end() ? ClockOffset{} : summary->clock};
}

/// Adds the steps that a node traced.
void add_spans(const std::vector<TraceSlice>& slices, const TraceClock& clock,
               std::map<std::int64_t, StepSpan>& steps) {
    std::map<std::int64_t, bool> seen;
    for (const auto& slice : slices) {
        if (slice.track != compute_track) continue;
        auto& span = steps[slice.step];
        span.from_ns = std::min(span.from_ns, clock.launcher_ns(slice.start_us));
        span.to_ns = std::max(span.to_ns, clock.launcher_ns(slice.start_us + slice.duration_us));
        if (!std::exchange(seen[slice.step], true)) ++span.nodes;
    }
}

struct ChosenStep {
    std::int64_t step = 0;
    StepSpan span;
    bool warm = true;
};

/// The step of median length among the warm ones of all nodes; else the last of the first steps.
std::optional<ChosenStep> choose(const std::map<std::int64_t, StepSpan>& steps) {
    std::size_t most_nodes = 0;
    for (const auto& [step, span] : steps) most_nodes = std::max(most_nodes, span.nodes);
    std::vector<ChosenStep> warm;
    std::optional<ChosenStep> last;
    for (const auto& [step, span] : steps) {
        if (span.nodes < most_nodes) continue;
        last = ChosenStep{.step = step, .span = span, .warm = step > warm_up_steps};
        if (last->warm) warm.push_back(*last);
    }
    if (warm.empty()) return last;
    const auto middle = warm.begin() + (std::ssize(warm) - 1) / 2;
    std::ranges::nth_element(warm, middle, {}, [](const ChosenStep& one) { return one.span.length_ns(); });
    return *middle;
}

/// The lane of a flight: the first that is free when it begins, else the last.
TimeLineLane& lane_for(const TimeLinePiece& piece, std::int64_t node, std::vector<TimeLineLane>& lanes) {
    for (auto& lane : lanes)
        if (lane.pieces.empty() || lane.pieces.back().to_us <= piece.from_us) return lane;
    if (lanes.size() < most_flight_lanes) lanes.push_back({.node = node, .computes = false, .pieces = {}});
    return lanes.back();
}

/// The lanes of a node in the chosen step.
std::vector<TimeLineLane> lanes_of(std::int64_t node, std::vector<TraceSlice> slices, const TraceClock& clock,
                                   const ChosenStep& chosen) {
    std::erase_if(slices, [&](const TraceSlice& slice) { return slice.step != chosen.step; });
    std::ranges::stable_sort(slices, {}, &TraceSlice::start_us);
    std::vector<TimeLineLane> lanes{{.node = node, .computes = true, .pieces = {}}};
    std::vector<TimeLineLane> flights;
    for (const auto& slice : slices) {
        const auto since_begin_us = [&](double node_us) {
            return static_cast<double>(clock.launcher_ns(node_us) - chosen.span.from_ns) * 1e-3;
        };
        TimeLinePiece piece{.from_us = since_begin_us(slice.start_us),
                            .to_us = since_begin_us(slice.start_us + slice.duration_us),
                            .operator_name = slice.operator_name,
                            .name = slice.name};
        if (slice.track == compute_track) {
            lanes.front().pieces.push_back(std::move(piece));
        } else if (slice.track == flight_track) {
            // A sum that the step waits for may have begun, or even ended, in the step before.
            if (piece.to_us <= 0.0) continue;
            piece.from_us = std::max(piece.from_us, 0.0);
            auto& lane = lane_for(piece, node, flights);
            // In the last lane, a flight begins where the one before it ends.
            if (!lane.pieces.empty()) piece.from_us = std::max(piece.from_us, lane.pieces.back().to_us);
            if (piece.from_us <= piece.to_us) lane.pieces.push_back(std::move(piece));
        }
    }
    std::ranges::move(flights, std::back_inserter(lanes));
    return lanes;
}

}  // namespace

std::optional<StepTimeLine> step_time_line(
    std::span<const std::int64_t> nodes,
    const std::function<std::vector<TraceSlice>(std::int64_t node)>& slices_of,
    std::span<const NodeSummary> summaries) {
    const auto shown = nodes.first(std::min(nodes.size(), most_time_line_nodes));
    std::map<std::int64_t, StepSpan> steps;
    for (const auto node : shown) {
        const auto slices = slices_of(node);
        add_spans(slices, clock_of(node, slices, summaries), steps);
    }
    const auto chosen = choose(steps);
    if (!chosen) return std::nullopt;
    StepTimeLine line{.step = chosen->step,
                      .nodes_left_out = static_cast<std::int64_t>(nodes.size() - shown.size()),
                      .warm = chosen->warm,
                      .lanes = {}};
    for (const auto node : shown) {
        auto slices = slices_of(node);
        const auto clock = clock_of(node, slices, summaries);
        std::ranges::move(lanes_of(node, std::move(slices), clock, *chosen), std::back_inserter(line.lanes));
    }
    return line;
}

}  // namespace convoy
