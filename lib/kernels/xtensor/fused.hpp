#pragma once

#include <vector>

#include "graph/operator.hpp"

namespace convoy::plain {

/// The plain operators that a fused operator stands for, in order, on its own operands. Intermediate results
/// are in the memory of its results. A plain operator stands for itself.
std::vector<Operator> unfold(const Operator& op);

}  // namespace convoy::plain
