#pragma once

#include <set>

#include "graph/operator.hpp"

namespace convoy {

/// The tensors of a program that its rank alone computes, from the examples of all ranks. Their gradients
/// need no sum over ranks, and a rank without examples of its own computes them too.
using OwnTensors = std::set<TensorId>;

}  // namespace convoy
