#include "graph/fusion.hpp"

#include "graph/rewriter.hpp"

namespace convoy {
namespace {

using Kind = OperatorKind;

/// dx = ReluGrad(y, MaxPoolGrad(dp)) with p = MaxPool(y) becomes dx = MaxPoolGrad(ReluGrad(p, dp)).
void commute_relu_and_max_pool_gradients(Rewriter& rewriter) {
    for (Position p = 0; p < rewriter.size(); ++p) {
        if (!rewriter.is(p, Kind::relu_grad)) continue;
        auto& relu_grad = rewriter.at(p);
        const auto between = relu_grad.inputs[1];
        const auto pool = rewriter.reader(relu_grad.inputs[0], Kind::max_pool);
        const auto grad = rewriter.writer(between, Kind::max_pool_grad);
        if (!pool || !grad || !rewriter.sole_reader(between, Kind::relu_grad)) continue;
        auto& pool_grad = rewriter.at(*grad);
        const auto pooled = rewriter.at(*pool).outputs[0];
        const auto argmax = pool_grad.inputs[1];
        if (rewriter.at(*pool).outputs[1] != argmax) continue;

        // Each takes the other's place in the list, and the tensor between them shrinks to the pooled size.
        std::swap(pool_grad.kind, relu_grad.kind);
        std::swap(pool_grad.name, relu_grad.name);
        std::swap(pool_grad.attributes, relu_grad.attributes);
        pool_grad.inputs = {pooled, pool_grad.inputs[0]};
        relu_grad.inputs = {between, argmax};
        rewriter.tensor(between).shape = rewriter.tensor(pooled).shape;
    }
}

/// dx = ReluGrad(y, dz * mask) with z = y * mask becomes dx = ReluGrad(z, dz) / (1 - rate).
void fold_dropout_gradient_into_relu_gradient(Rewriter& rewriter) {
    for (Position p = 0; p < rewriter.size(); ++p) {
        if (!rewriter.is(p, Kind::relu_grad)) continue;
        auto& relu_grad = rewriter.at(p);
        const auto product = rewriter.writer(relu_grad.inputs[1], Kind::multiply);
        if (!product || !rewriter.sole_reader(relu_grad.inputs[1], Kind::relu_grad)) continue;
        const auto& dropout_grad = rewriter.at(*product);
        const auto mask = dropout_grad.inputs[1];
        const auto cast = rewriter.writer(mask, Kind::cast);
        const auto forward = rewriter.reader(relu_grad.inputs[0], Kind::multiply);
        if (!cast || !forward || rewriter.at(*forward).inputs[1] != mask) continue;

        relu_grad.inputs = {rewriter.at(*forward).outputs[0], dropout_grad.inputs[0]};
        relu_grad.attributes =
            ReluGradAttributes{1.0 / (1.0 - rewriter.at(*cast).as<DropoutAttributes>().rate)};
        relu_grad.folded = {Kind::multiply};
        rewriter.remove(*product);
    }
}

/// The four operators of a dropout become one; it writes the mask only where backward still reads it.
void fuse_dropout(Rewriter& rewriter) {
    for (Position p = 0; p < rewriter.size(); ++p) {
        if (!rewriter.is(p, Kind::multiply) || rewriter.at(p).pass != Pass::forward) continue;
        auto& product = rewriter.at(p);
        const auto mask = product.inputs[1];
        const auto cast = rewriter.writer(mask, Kind::cast);
        if (!cast) continue;
        const auto compare = rewriter.writer(rewriter.at(*cast).inputs[0], Kind::greater_equal);
        const auto random = rewriter.writer(rewriter.at(*compare).inputs[0], Kind::random_uniform);
        const bool mask_is_read = !rewriter.sole_reader(mask, Kind::multiply);
        product.kind = mask_is_read ? Kind::fused_dropout_masked : Kind::fused_dropout;
        product.attributes = rewriter.at(*cast).attributes;
        product.inputs = {product.inputs[0]};
        if (mask_is_read) product.outputs.push_back(mask);
        product.folded = {Kind::random_uniform, Kind::greater_equal, Kind::cast, Kind::multiply};
        for (const auto folded : {*cast, *compare, *random}) rewriter.remove(folded);
    }
}

void set_relu(Attributes& attributes) {
    if (auto* window = std::get_if<WindowAttributes>(&attributes)) window->relu = true;
    if (auto* matmul = std::get_if<MatMulAttributes>(&attributes)) matmul->relu = true;
}

/// product, BiasAdd and Relu become one operator, at the place of the last of them.
void fuse_bias_and_relu(Rewriter& rewriter, Kind product_kind, Kind fused_kind) {
    for (Position p = 0; p < rewriter.size(); ++p) {
        if (!rewriter.is(p, product_kind)) continue;
        const auto bias_add = rewriter.sole_reader(rewriter.at(p).outputs[0], Kind::bias_add);
        if (!bias_add) continue;
        const auto relu = rewriter.sole_reader(rewriter.at(*bias_add).outputs[0], Kind::relu);

        Operator fused = rewriter.at(p);
        fused.kind = fused_kind;
        fused.inputs.push_back(rewriter.at(*bias_add).inputs[1]);
        fused.folded = {product_kind, Kind::bias_add};
        if (relu) {
            set_relu(fused.attributes);
            fused.folded.push_back(Kind::relu);
        }
        const auto last = relu.value_or(*bias_add);
        fused.outputs = rewriter.at(last).outputs;
        rewriter.remove(p);
        if (relu) rewriter.remove(*bias_add);
        rewriter.at(last) = std::move(fused);
    }
}

/// The weight gradient also sums the bias gradient, for both read dy.
void fuse_bias_gradient(Rewriter& rewriter, Kind gradient_kind, Kind fused_kind) {
    for (Position p = 0; p < rewriter.size(); ++p) {
        if (!rewriter.is(p, gradient_kind)) continue;
        auto& gradient = rewriter.at(p);
        const auto bias_grad = rewriter.reader(gradient.inputs[1], Kind::bias_add_grad);
        if (!bias_grad || rewriter.at(*bias_grad).name != gradient.name) continue;
        gradient.kind = fused_kind;
        gradient.outputs.push_back(rewriter.at(*bias_grad).outputs[0]);
        gradient.folded = {gradient_kind, Kind::bias_add_grad};
        rewriter.remove(*bias_grad);
    }
}

}  // namespace

void fuse(Graph& graph) {
    Rewriter rewriter(graph);
    commute_relu_and_max_pool_gradients(rewriter);
    fold_dropout_gradient_into_relu_gradient(rewriter);
    fuse_dropout(rewriter);
    fuse_bias_and_relu(rewriter, Kind::conv2d, Kind::fused_conv2d);
    fuse_bias_and_relu(rewriter, Kind::matmul, Kind::fused_matmul);
    fuse_bias_gradient(rewriter, Kind::conv2d_backprop_filter, Kind::fused_conv2d_backprop_filter);
    fuse_bias_gradient(rewriter, Kind::matmul_backprop_weight, Kind::fused_matmul_backprop_weight);
    rewriter.finish();
}

}  // namespace convoy
