#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan.hpp"

namespace convoy {

/// Ranks that do the same work in a run. Only their rank numbers differ.
struct NodeClass {
    std::vector<std::int64_t> ranks;  ///< ascending, at least one
};

/// Groups the ranks of a plan into classes, in the order of each class's first rank. It compiles no node. Two
/// ranks are in one class if each is a whole replica and their shares have the same size in each split. Every
/// other rank is a class of its own.
std::vector<NodeClass> node_classes(const Plan& plan);

}  // namespace convoy
