#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/records.hpp"

namespace convoy {

/// An operator or an exchange in the time-line of a step.
struct TimeLinePiece {
    double from_us = 0.0, to_us = 0.0;  ///< since the step's first slice, on the launcher's clock
    std::string operator_name, name;
    bool operator==(const TimeLinePiece&) const = default;
};

/// Pieces of a node that do not overlap, in order of time.
struct TimeLineLane {
    std::int64_t node = 0;
    bool computes = true;  ///< false: exchanges in flight
    std::vector<TimeLinePiece> pieces = {};
    bool operator==(const TimeLineLane&) const = default;
};

/// One step of all nodes.
struct StepTimeLine {
    std::int64_t step = 0;
    std::int64_t nodes_left_out = 0;
    bool warm = true;  ///< false: no other step was traced than one of the first, in which memory is cold
    std::vector<TimeLineLane> lanes = {};  ///< by node; the lane that computes is the first of its node
};

/// A run has at most so many nodes in a time-line; the others are left out.
inline constexpr std::size_t most_time_line_nodes = 16;

/// The time-line of the traced step whose length is the median of those after the warm-up that all nodes have
/// traced. Absent if no step was traced. nodes: in ascending order. slices_of: the slices of a node; called
/// twice for each, and the slices of one node are in memory at a time.
std::optional<StepTimeLine> step_time_line(
    std::span<const std::int64_t> nodes,
    const std::function<std::vector<TraceSlice>(std::int64_t node)>& slices_of,
    std::span<const NodeSummary> summaries);

}  // namespace convoy
