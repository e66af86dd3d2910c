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
/// * BatchNorm, Relu                                      -> _FusedBatchNormRelu, and so for their gradients
/// * _FusedConv2D of a pointwise kernel, AddV2            -> _FusedConv2D with an addend, where only the
/// addition
///                                                           reads the convolution's result
/// * _FusedBatchNormGradRelu, AddN of two                 -> the first adds the other part of the gradient to
/// its own
/// * Square, Sum, Mul of a penalty's term                 -> _FusedSquareSum
void fuse(Graph& graph);

/// Folds Mul and AddN, which add a penalty's gradient, into the update behind them.
void fuse_decay(Graph& graph);

}  // namespace convoy
