#include "graph/operator.hpp"

#include <stdexcept>

namespace convoy {

std::string_view operator_name(OperatorKind kind) {
    switch (kind) {
        case OperatorKind::dataset: return "Dataset";
        case OperatorKind::conv2d: return "Conv2D";
        case OperatorKind::conv2d_backprop_filter: return "Conv2DBackpropFilter";
        case OperatorKind::conv2d_backprop_input: return "Conv2DBackpropInput";
        case OperatorKind::fused_conv2d: return "_FusedConv2D";
        case OperatorKind::fused_conv2d_backprop_filter: return "_FusedConv2DBackpropFilter";
        case OperatorKind::matmul:
        case OperatorKind::matmul_backprop_weight:
        case OperatorKind::matmul_backprop_input: return "MatMul";
        case OperatorKind::fused_matmul: return "_FusedMatMul";
        case OperatorKind::fused_matmul_backprop_weight: return "_FusedMatMulGrad";
        case OperatorKind::bias_add: return "BiasAdd";
        case OperatorKind::bias_add_grad: return "BiasAddGrad";
        case OperatorKind::relu: return "Relu";
        case OperatorKind::relu_grad: return "ReluGrad";
        case OperatorKind::leaky_relu: return "LeakyRelu";
        case OperatorKind::leaky_relu_grad: return "LeakyReluGrad";
        case OperatorKind::tanh: return "Tanh";
        case OperatorKind::tanh_grad: return "TanhGrad";
        case OperatorKind::sigmoid: return "Sigmoid";
        case OperatorKind::sigmoid_grad: return "SigmoidGrad";
        case OperatorKind::softmax: return "Softmax";
        case OperatorKind::softmax_grad: return "SoftmaxGrad";
        case OperatorKind::max_pool: return "MaxPool";
        case OperatorKind::max_pool_grad: return "MaxPoolGrad";
        case OperatorKind::average_pool: return "AvgPool";
        case OperatorKind::average_pool_grad: return "AvgPoolGrad";
        case OperatorKind::reshape:
        case OperatorKind::reshape_grad: return "Reshape";
        case OperatorKind::random_uniform: return "RandomUniform";
        case OperatorKind::greater_equal: return "GreaterEqual";
        case OperatorKind::cast: return "Cast";
        case OperatorKind::multiply: return "Mul";
        case OperatorKind::fused_dropout:
        case OperatorKind::fused_dropout_masked: return "_FusedDropout";
        case OperatorKind::batch_norm:
        case OperatorKind::batch_norm_inference: return "FusedBatchNorm";
        case OperatorKind::recompute_batch_norm: return "_RecomputeBatchNorm";
        case OperatorKind::batch_norm_grad: return "FusedBatchNormGrad";
        case OperatorKind::fused_batch_norm:
        case OperatorKind::fused_batch_norm_inference: return "_FusedBatchNormRelu";
        case OperatorKind::fused_batch_norm_grad: return "_FusedBatchNormGradRelu";
        case OperatorKind::batch_norm_moments: return "_BatchNormMoments";
        case OperatorKind::batch_norm_statistics: return "_BatchNormStatistics";
        case OperatorKind::batch_norm_apply: return "_BatchNormApply";
        case OperatorKind::batch_norm_grad_sums: return "_BatchNormGradSums";
        case OperatorKind::batch_norm_grad_apply: return "_BatchNormGradApply";
        case OperatorKind::add: return "AddV2";
        case OperatorKind::add_n: return "AddN";
        case OperatorKind::concat: return "ConcatV2";
        case OperatorKind::slice: return "Slice";
        case OperatorKind::scale: return "Mul";
        case OperatorKind::square: return "Square";
        case OperatorKind::sum: return "Sum";
        case OperatorKind::fused_square_sum: return "_FusedSquareSum";
        case OperatorKind::zeros_like: return "ZerosLike";
        case OperatorKind::softmax_cross_entropy: return "SparseSoftmaxCrossEntropyWithLogits";
        case OperatorKind::apply_gradient_descent: return "ResourceApplyGradientDescent";
        case OperatorKind::apply_momentum: return "ResourceApplyMomentum";
        case OperatorKind::apply_adagrad: return "ResourceApplyAdagrad";
        case OperatorKind::apply_adadelta: return "ResourceApplyAdadelta";
        case OperatorKind::apply_adam: return "ResourceApplyAdam";
        case OperatorKind::fused_decay: return "_FusedDecay";
        case OperatorKind::global_norm: return "_GlobalNorm";
        case OperatorKind::squared_norm: return "_SquaredNorm";
        case OperatorKind::square_root: return "Sqrt";
        case OperatorKind::clip_by_global_norm: return "_ClipByGlobalNorm";
        case OperatorKind::clip_by_norm: return "_ClipByNorm";
        case OperatorKind::clip_by_value: return "ClipByValue";
        case OperatorKind::assign_add: return "AssignAdd";
        case OperatorKind::accumulate: return "_AccumulateGradients";
        case OperatorKind::take_sums: return "_TakeGradientSums";
        case OperatorKind::pack: return "_PackMessage";
        case OperatorKind::unpack: return "_UnpackMessage";
        case OperatorKind::exchange_start: return "CollectiveReduceStart";
        case OperatorKind::exchange_wait:
        case OperatorKind::exchange: return "CollectiveReduce";
    }
    throw std::logic_error("an operator kind without a name");
}

std::string_view operator_name(const Operator& op) {
    const auto* attributes = std::get_if<ExchangeAttributes>(&op.attributes);
    if (attributes == nullptr) return operator_name(op.kind);
    const bool starts = op.kind == OperatorKind::exchange_start;
    switch (attributes->exchange.verb) {
        case ExchangeVerb::all_reduce: return operator_name(op.kind);
        case ExchangeVerb::send: return starts ? "SendStart" : "Send";
        case ExchangeVerb::receive: return starts ? "ReceiveStart" : "Receive";
        case ExchangeVerb::push: return starts ? "PushStart" : "Push";
        case ExchangeVerb::pull: return starts ? "PullStart" : "Pull";
        case ExchangeVerb::broadcast: return starts ? "BroadcastStart" : "Broadcast";
        case ExchangeVerb::gather: return starts ? "GatherStart" : "Gather";
    }
    return {};
}

std::string_view kind_name(OperatorKind kind) {
    switch (kind) {
        case OperatorKind::dataset: return "dataset";
        case OperatorKind::conv2d: return "conv2d";
        case OperatorKind::conv2d_backprop_filter: return "conv2d_backprop_filter";
        case OperatorKind::conv2d_backprop_input: return "conv2d_backprop_input";
        case OperatorKind::fused_conv2d: return "fused_conv2d";
        case OperatorKind::fused_conv2d_backprop_filter: return "fused_conv2d_backprop_filter";
        case OperatorKind::matmul: return "matmul";
        case OperatorKind::matmul_backprop_weight: return "matmul_backprop_weight";
        case OperatorKind::matmul_backprop_input: return "matmul_backprop_input";
        case OperatorKind::fused_matmul: return "fused_matmul";
        case OperatorKind::fused_matmul_backprop_weight: return "fused_matmul_backprop_weight";
        case OperatorKind::bias_add: return "bias_add";
        case OperatorKind::bias_add_grad: return "bias_add_grad";
        case OperatorKind::relu: return "relu";
        case OperatorKind::relu_grad: return "relu_grad";
        case OperatorKind::leaky_relu: return "leaky_relu";
        case OperatorKind::leaky_relu_grad: return "leaky_relu_grad";
        case OperatorKind::tanh: return "tanh";
        case OperatorKind::tanh_grad: return "tanh_grad";
        case OperatorKind::sigmoid: return "sigmoid";
        case OperatorKind::sigmoid_grad: return "sigmoid_grad";
        case OperatorKind::softmax: return "softmax";
        case OperatorKind::softmax_grad: return "softmax_grad";
        case OperatorKind::max_pool: return "max_pool";
        case OperatorKind::max_pool_grad: return "max_pool_grad";
        case OperatorKind::average_pool: return "average_pool";
        case OperatorKind::average_pool_grad: return "average_pool_grad";
        case OperatorKind::reshape: return "reshape";
        case OperatorKind::reshape_grad: return "reshape_grad";
        case OperatorKind::random_uniform: return "random_uniform";
        case OperatorKind::greater_equal: return "greater_equal";
        case OperatorKind::cast: return "cast";
        case OperatorKind::multiply: return "multiply";
        case OperatorKind::fused_dropout: return "fused_dropout";
        case OperatorKind::fused_dropout_masked: return "fused_dropout_masked";
        case OperatorKind::batch_norm: return "batch_norm";
        case OperatorKind::batch_norm_inference: return "batch_norm_inference";
        case OperatorKind::recompute_batch_norm: return "recompute_batch_norm";
        case OperatorKind::batch_norm_grad: return "batch_norm_grad";
        case OperatorKind::fused_batch_norm: return "fused_batch_norm";
        case OperatorKind::fused_batch_norm_inference: return "fused_batch_norm_inference";
        case OperatorKind::fused_batch_norm_grad: return "fused_batch_norm_grad";
        case OperatorKind::batch_norm_moments: return "batch_norm_moments";
        case OperatorKind::batch_norm_statistics: return "batch_norm_statistics";
        case OperatorKind::batch_norm_apply: return "batch_norm_apply";
        case OperatorKind::batch_norm_grad_sums: return "batch_norm_grad_sums";
        case OperatorKind::batch_norm_grad_apply: return "batch_norm_grad_apply";
        case OperatorKind::add: return "add";
        case OperatorKind::add_n: return "add_n";
        case OperatorKind::concat: return "concat";
        case OperatorKind::slice: return "slice";
        case OperatorKind::scale: return "scale";
        case OperatorKind::square: return "square";
        case OperatorKind::sum: return "sum";
        case OperatorKind::fused_square_sum: return "fused_square_sum";
        case OperatorKind::zeros_like: return "zeros_like";
        case OperatorKind::softmax_cross_entropy: return "softmax_cross_entropy";
        case OperatorKind::apply_gradient_descent: return "apply_gradient_descent";
        case OperatorKind::apply_momentum: return "apply_momentum";
        case OperatorKind::apply_adagrad: return "apply_adagrad";
        case OperatorKind::apply_adadelta: return "apply_adadelta";
        case OperatorKind::apply_adam: return "apply_adam";
        case OperatorKind::fused_decay: return "fused_decay";
        case OperatorKind::global_norm: return "global_norm";
        case OperatorKind::squared_norm: return "squared_norm";
        case OperatorKind::square_root: return "square_root";
        case OperatorKind::clip_by_global_norm: return "clip_by_global_norm";
        case OperatorKind::clip_by_norm: return "clip_by_norm";
        case OperatorKind::clip_by_value: return "clip_by_value";
        case OperatorKind::assign_add: return "assign_add";
        case OperatorKind::accumulate: return "accumulate";
        case OperatorKind::take_sums: return "take_sums";
        case OperatorKind::pack: return "pack";
        case OperatorKind::unpack: return "unpack";
        case OperatorKind::exchange_start: return "exchange_start";
        case OperatorKind::exchange_wait: return "exchange_wait";
        case OperatorKind::exchange: return "exchange";
    }
    throw std::logic_error("an operator kind without a name of its own");
}

bool draws_by_example(OperatorKind kind) {
    return kind == OperatorKind::random_uniform || kind == OperatorKind::fused_dropout ||
           kind == OperatorKind::fused_dropout_masked;
}

bool reads(const Operator& op, ReadThing thing) {
    return op.kind == OperatorKind::dataset && op.as<DatasetAttributes>().thing == thing;
}

std::string_view pass_name(Pass pass) {
    switch (pass) {
        case Pass::input: return "input";
        case Pass::forward: return "forward";
        case Pass::backward: return "backward";
        case Pass::communication: return "communication";
        case Pass::update: return "update";
    }
    throw std::logic_error("a pass without a name");
}

}  // namespace convoy
