#pragma once

#include "graph/graph.hpp"

namespace convoy {

/// Rewrites a graph so that fewer kernels touch memory less often; results stay the same but for rounding.
/// What was folded into an operator stands in its `folded` list, which the reports show.
///
/// * Conv2D or MatMul, BiasAdd, Relu                      -> _FusedConv2D, _FusedMatMul
/// * Conv2DBackpropFilter or MatMul, BiasAddGrad          -> _FusedConv2DBackpropFilter, _FusedMatMulGrad
/// * RandomUniform, GreaterEqual, Cast, Mul               -> _FusedDropout
/// * ReluGrad after MaxPoolGrad                           -> before it, on the pooled tensor: max and ReLU
/// commute, and
///                                                           both gradients are zero where the maximum is not
///                                                           positive
/// * Mul by a dropout's mask, then ReluGrad               -> one ReluGrad on the dropout's result, which is
/// positive
///                                                           exactly where the element was kept and positive
void fuse(Graph& graph);

}  // namespace convoy
