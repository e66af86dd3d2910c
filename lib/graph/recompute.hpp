#pragma once

#include "graph/graph.hpp"

namespace convoy {

/// Computes results of batch normalisation (with the ReLU that was fused to it) again where the backward pass
/// first needs them, so that nobody has to keep them through the step: their input and statistics are kept
/// anyway, and the bits are the same. About half of a residual network's activations for one more walk over
/// them. Runs behind fuse(). After Chen et al., Training Deep Nets with Sublinear Memory Cost
/// (arXiv:1604.06174), whose cheap operators are these.
void recompute_batch_norms(Graph& graph);

}  // namespace convoy
