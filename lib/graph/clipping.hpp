#pragma once

#include "graph/graph.hpp"
#include "spec/optimizer_spec.hpp"

namespace convoy {

/// Makes a training graph hold its gradients within a limit before its updates read them. What is clipped is
/// the gradient of all that is minimised, the L2 penalty's part included, as with Keras' kernel_regularizer.
/// Runs before fuse().
///
/// By value, or by each parameter's norm, an operator stands before each update and has its name. By the
/// global norm one operator named "gradients" reads all gradients, and behind it come their clipping and the
/// updates; it writes the tensor "gradient_norm".
void clip_gradients(Graph& graph, const GradientClipping& clipping);

}  // namespace convoy
