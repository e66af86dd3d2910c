#pragma once

#include "graph/graph.hpp"

namespace convoy {

/// Gives every trained parameter of a training graph a tensor NAME/residual, of its gradient's shape, for
/// what a step does not send of it. No operator of the graph reads it: strategies put it beside the
/// gradients.
void add_residuals(Graph& graph);

}  // namespace convoy
