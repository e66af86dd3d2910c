#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "monitor/run_figures.hpp"

namespace convoy {

/// A node for which the others wait.
struct HoldUp {
    std::int64_t node = 0;
    std::string reason;  ///< in a few words: "reads data", "computes 23% longer"
    bool operator==(const HoldUp&) const = default;
};

/// The nodes for which the others wait, in ascending order. Before training, these are the nodes in the
/// earliest phase. In training, this is the node whose own computation in its last steps took at least 5%
/// longer than the median of the other nodes, if it also waited less than they did, by at least 3% of a step.
/// Nodes without examples (servers) do not count in training.
std::vector<HoldUp> hold_ups(const RunFigures& figures);

}  // namespace convoy
