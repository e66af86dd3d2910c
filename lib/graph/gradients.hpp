#pragma once

#include "graph/graph.hpp"

namespace convoy {

/// Appends the backward pass: for every operator that a parameter feeds, in reverse order, the operators that
/// turn the gradient of its result into those of its inputs (reverse-mode differentiation). A tensor that
/// several operators read gets the sum (AddN). Weight gradients come before input gradients, so that their
/// reduction can start as early as possible. The graph must end in a loss operator that writes
/// output_gradient, the gradient of output. Sets the gradient of every parameter. Throws InternalError for an
/// operator that cannot be differentiated.
void append_gradients(Graph& graph, TensorId output, TensorId output_gradient);

}  // namespace convoy
