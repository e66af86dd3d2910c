#pragma once

#include "graph/graph.hpp"
#include "spec/optimizer_spec.hpp"

namespace convoy {

/// Appends one update operator for each trained parameter, in the order in which the backward pass computes
/// the gradients, and the optimizer's slots. If a parameter has an L2 penalty, the penalty's gradient is
/// added first. All operators of a parameter have its name.
void append_updates(Graph& graph, const OptimizerSpec& optimizer);

}  // namespace convoy
