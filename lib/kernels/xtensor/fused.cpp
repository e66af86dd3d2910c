#include "kernels/xtensor/fused.hpp"

namespace convoy::plain {
namespace {

using Kind = OperatorKind;

/// A part of fused, with the attributes of the whole.
Operator part(const Operator& fused, Kind kind, std::vector<TensorId> inputs, TensorId output) {
    return {kind, fused.name, fused.pass, std::move(inputs), {output}, fused.attributes, {}};
}

/// x, weight, bias, [addend] -> y = [relu] (product of x and weight, plus bias, plus addend)
std::vector<Operator> unfold_product(const Operator& fused, Kind product, bool with_relu) {
    const auto y = fused.outputs.at(0);
    std::vector<Operator> parts{part(fused, product, {fused.inputs.at(0), fused.inputs.at(1)}, y),
                                part(fused, Kind::bias_add, {y, fused.inputs.at(2)}, y)};
    if (fused.inputs.size() > 3) parts.push_back(part(fused, Kind::add, {y, fused.inputs[3]}, y));
    if (with_relu) parts.push_back(part(fused, Kind::relu, {y}, y));
    return parts;
}

/// x, dy -> dweight, dbias
std::vector<Operator> unfold_gradient(const Operator& fused, Kind gradient) {
    return {part(fused, gradient, fused.inputs, fused.outputs.at(0)),
            part(fused, Kind::bias_add_grad, {fused.inputs.at(1)}, fused.outputs.at(1))};
}

/// x -> y = x mask. Where nobody wants the mask it is made in y's memory.
std::vector<Operator> unfold_dropout(const Operator& fused, TensorId mask) {
    return {part(fused, Kind::random_uniform, {}, mask), part(fused, Kind::greater_equal, {mask}, mask),
            part(fused, Kind::cast, {mask}, mask),
            part(fused, Kind::multiply, {fused.inputs.at(0), mask}, fused.outputs.at(0))};
}

}  // namespace

std::vector<Operator> unfold(const Operator& op) {
    switch (op.kind) {
        case Kind::fused_conv2d: return unfold_product(op, Kind::conv2d, op.as<WindowAttributes>().relu);
        case Kind::fused_matmul: return unfold_product(op, Kind::matmul, op.as<MatMulAttributes>().relu);
        case Kind::fused_conv2d_backprop_filter: return unfold_gradient(op, Kind::conv2d_backprop_filter);
        case Kind::fused_matmul_backprop_weight: return unfold_gradient(op, Kind::matmul_backprop_weight);
        case Kind::fused_dropout: return unfold_dropout(op, op.outputs.at(0));
        case Kind::fused_dropout_masked: return unfold_dropout(op, op.outputs.at(1));
        default: return {op};
    }
}

}  // namespace convoy::plain
