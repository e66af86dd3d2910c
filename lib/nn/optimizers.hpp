#pragma once

#include "graph/graph.hpp"
#include "spec/optimizer_spec.hpp"

namespace convoy {

/// Appends one update operator per parameter, in the order in which the backward pass finishes the gradients,
/// and the slots that the optimizer keeps for each. Where a parameter has an L2 penalty, its
/// gradient is added first; operators of one parameter have its name.
void append_updates(Graph& graph, const OptimizerSpec& optimizer);

}  // namespace convoy
