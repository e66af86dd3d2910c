#pragma once

#include <vector>

#include "graph/graph.hpp"

namespace convoy {

/// Computes results of batch normalisation (with the ReLU that was fused to it) again where the backward pass
/// first needs them. So the step does not keep them; it keeps their input and statistics anyway. The bits are
/// the same. This saves about half of a residual network's activations, and costs one more walk over them.
/// For the operators of a graph or a program; runs behind fuse(). After Chen et al., Training Deep Nets with
/// Sublinear Memory Cost (arXiv:1604.06174), whose cheap operators are these.
void recompute_batch_norms(std::vector<Operator>& operators, std::vector<TensorInfo>& tensors);

}  // namespace convoy
