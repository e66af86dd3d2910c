#pragma once

#include <vector>

#include "graph/operator.hpp"

namespace convoy::plain {

/// What a fused operator means: the plain operators that it stands for, in order, on its own operands. Steps
/// in between work in place on its results. A plain operator stands for itself.
std::vector<Operator> unfold(const Operator& op);

}  // namespace convoy::plain
