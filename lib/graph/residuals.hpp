#pragma once

#include "graph/graph.hpp"

namespace convoy {

/// Adds a tensor NAME/residual to a training graph for each trained parameter. It has the shape of the
/// gradient, and holds the part of the gradient that a step does not send. No operator of the graph reads it:
/// strategies put it into a bucket beside the gradients.
void add_residuals(Graph& graph);

}  // namespace convoy
