#pragma once

#include <vector>

#include "graph/graph.hpp"

namespace convoy {

/// Rewrites the operators of a graph or a program so that fewer kernels touch memory less often. Results stay
/// the same but for rounding. An operator lists in `folded` the operators that it stands for; reports show
/// them. Runs behind the strategy: a tensor that an exchange, a copy or an update reads is never folded away.
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
/// * the same where batch normalisation was split for the statistics of all ranks
/// * Square, Sum, Mul of a penalty's term                 -> _FusedSquareSum
/// * Mul and AddN, which add a penalty's gradient         -> into the update behind them, or _FusedDecay
/// where the gradient is clipped first
void fuse(std::vector<Operator>& operators, std::vector<TensorInfo>& tensors);

}  // namespace convoy
