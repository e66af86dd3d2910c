#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace convoy {

/// Ranks that do the same in a run, but for their rank.
struct NodeClass {
    std::vector<std::int64_t> ranks;  ///< ascending, at least one
};

/// The ranks of a plan by class, in the order of each class's first rank. No node is compiled for it:
/// replicas of one rank each that take shares of one size are alike; every other rank is a class of its own.
std::vector<NodeClass> node_classes(const Plan& plan);

/// "rank 0", "ranks 0 to 3", "ranks 0, 2 to 4".
std::string ranks_text(const std::vector<std::int64_t>& ranks);

}  // namespace convoy
