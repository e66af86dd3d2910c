#include "graph/fusion.hpp"

#include <utility>
#include <variant>

#include "graph/rewriter.hpp"

namespace convoy {
namespace {

using Kind = OperatorKind;

/// dx = ReluGrad(y, MaxPoolGrad(dp)) with p = MaxPool(y) becomes dx = MaxPoolGrad(ReluGrad(p, dp)).
void commute_relu_and_max_pool_gradients(Rewriter& rewriter) {
    for (Position p = 0; p < rewriter.size(); ++p) {
        if (!rewriter.is(p, Kind::relu_grad)) continue;
        auto relu_grad = rewriter.at(p);
        const auto between = relu_grad.inputs[1];
        const auto pool = rewriter.reader(relu_grad.inputs[0], Kind::max_pool);
        const auto grad = rewriter.writer(between, Kind::max_pool_grad);
        if (!pool || !grad || !rewriter.sole_reader(between, Kind::relu_grad)) continue;
        auto pool_grad = rewriter.at(*grad);
        const auto pooled = rewriter.at(*pool).outputs[0];
        const auto argmax = pool_grad.inputs[1];
        if (rewriter.at(*pool).outputs[1] != argmax) continue;

        // Each takes the other's place in the list, and the tensor between them shrinks to the pooled size.
        std::swap(pool_grad.kind, relu_grad.kind);
        std::swap(pool_grad.name, relu_grad.name);
        std::swap(pool_grad.attributes, relu_grad.attributes);
        pool_grad.inputs = {pooled, pool_grad.inputs[0]};
        relu_grad.inputs = {between, argmax};
        rewriter.put(*grad, std::move(pool_grad));
        rewriter.put(p, std::move(relu_grad));
        rewriter.tensor(between).shape = rewriter.tensor(pooled).shape;
    }
}

/// dx = ReluGrad(y, dz * mask) with z = y * mask becomes dx = ReluGrad(z, dz) / (1 - rate).
void fold_dropout_gradient_into_relu_gradient(Rewriter& rewriter) {
    for (Position p = 0; p < rewriter.size(); ++p) {
        if (!rewriter.is(p, Kind::relu_grad)) continue;
        auto relu_grad = rewriter.at(p);
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
        rewriter.put(p, std::move(relu_grad));
        rewriter.remove(*product);
    }
}

/// The four operators of a dropout become one; it writes the mask only where backward still reads it.
void fuse_dropout(Rewriter& rewriter) {
    for (Position p = 0; p < rewriter.size(); ++p) {
        if (!rewriter.is(p, Kind::multiply) || rewriter.at(p).pass != Pass::forward) continue;
        auto product = rewriter.at(p);
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
        rewriter.put(p, std::move(product));
        for (const auto folded : {*cast, *compare, *random}) rewriter.remove(folded);
    }
}

void set_relu(Attributes& attributes) {
    if (auto* window = std::get_if<WindowAttributes>(&attributes)) window->relu = true;
    if (auto* matmul = std::get_if<MatMulAttributes>(&attributes)) matmul->relu = true;
    if (auto* norm = std::get_if<BatchNormAttributes>(&attributes)) norm->relu = true;
    if (auto* shared = std::get_if<SharedBatchNormAttributes>(&attributes)) shared->norm.relu = true;
}

/// Of a batch normalisation or its gradient.
bool has_relu(const Attributes& attributes) {
    const auto* norm = std::get_if<BatchNormAttributes>(&attributes);
    const auto* shared = std::get_if<SharedBatchNormAttributes>(&attributes);
    return (norm != nullptr && norm->relu) || (shared != nullptr && shared->norm.relu);
}

/// Notes that `op` now does the work of an operator behind it, too.
void fold_behind(Operator& op, Kind kind, Kind behind) {
    if (op.folded.empty()) op.folded = {kind};
    op.folded.push_back(behind);
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
        rewriter.put(last, std::move(fused));
    }
}

/// The weight gradient also sums the bias gradient, for both read dy. A bias gradient that stands before it
/// stays: an operator between them may read it.
void fuse_bias_gradient(Rewriter& rewriter, Kind gradient_kind, Kind fused_kind) {
    for (Position p = 0; p < rewriter.size(); ++p) {
        if (!rewriter.is(p, gradient_kind)) continue;
        auto gradient = rewriter.at(p);
        const auto bias_grad = rewriter.reader(gradient.inputs[1], Kind::bias_add_grad);
        if (!bias_grad || *bias_grad < p || rewriter.at(*bias_grad).name != gradient.name) continue;
        gradient.kind = fused_kind;
        gradient.outputs.push_back(rewriter.at(*bias_grad).outputs[0]);
        gradient.folded = {gradient_kind, Kind::bias_add_grad};
        rewriter.remove(*bias_grad);
        rewriter.put(p, std::move(gradient));
    }
}

/// BatchNorm and the Relu that alone reads it.
void fuse_batch_norm_and_relu(Rewriter& rewriter, Kind kind, Kind fused_kind) {
    for (Position p = 0; p < rewriter.size(); ++p) {
        if (!rewriter.is(p, kind)) continue;
        const auto relu = rewriter.sole_reader(rewriter.at(p).outputs[0], Kind::relu);
        if (!relu) continue;
        auto norm = rewriter.at(p);
        norm.kind = fused_kind;
        norm.outputs[0] = rewriter.at(*relu).outputs[0];
        set_relu(norm.attributes);
        fold_behind(norm, kind, Kind::relu);
        rewriter.remove(*relu);
        rewriter.put(p, std::move(norm));
    }
}

/// Whether y is the ReLU of the normalisation whose gradient this is. Runs behind the fusion of the forward
/// pass, so the normalisation writes y itself. A ReLU of anything else has another mask.
bool is_relu_of(Rewriter& rewriter, TensorId y, const Operator& gradient) {
    for (const auto kind : {Kind::fused_batch_norm, Kind::batch_norm_apply}) {
        const auto norm = rewriter.writer(y, kind);
        if (norm && has_relu(rewriter.at(*norm).attributes) &&
            rewriter.at(*norm).inputs[0] == gradient.inputs[0] && rewriter.at(*norm).name == gradient.name)
            return true;
    }
    return false;
}

/// dx = BatchNormGrad(x, ReluGrad(y, dz)) with y = Relu(BatchNorm(x)): the mask is computed from x again,
/// which is read anyway.
void fuse_batch_norm_and_relu_gradients(Rewriter& rewriter) {
    for (Position p = 0; p < rewriter.size(); ++p) {
        if (!rewriter.is(p, Kind::batch_norm_grad)) continue;
        auto norm_grad = rewriter.at(p);
        const auto between = norm_grad.inputs[1];
        const auto relu_grad = rewriter.writer(between, Kind::relu_grad);
        if (!relu_grad || !rewriter.sole_reader(between, Kind::batch_norm_grad)) continue;
        if (rewriter.at(*relu_grad).as<ReluGradAttributes>().scale != 1.0) continue;
        if (!is_relu_of(rewriter, rewriter.at(*relu_grad).inputs[0], norm_grad)) continue;
        norm_grad.kind = Kind::fused_batch_norm_grad;
        norm_grad.inputs[1] = rewriter.at(*relu_grad).inputs[1];
        set_relu(norm_grad.attributes);
        norm_grad.folded = {Kind::relu_grad, Kind::batch_norm_grad};
        rewriter.remove(*relu_grad);
        rewriter.put(p, std::move(norm_grad));
    }
}

/// The same where statistics are of all ranks: both parts of the gradient compute the mask again.
void fuse_shared_batch_norm_and_relu_gradients(Rewriter& rewriter) {
    for (Position p = 0; p < rewriter.size(); ++p) {
        if (!rewriter.is(p, Kind::batch_norm_grad_apply)) continue;
        auto apply = rewriter.at(p);
        const auto between = apply.inputs[1];
        const auto relu_grad = rewriter.writer(between, Kind::relu_grad);
        const auto sums = rewriter.reader(between, Kind::batch_norm_grad_sums);
        if (!relu_grad || !sums || rewriter.count_readers(between) != 2) continue;
        if (rewriter.at(*relu_grad).as<ReluGradAttributes>().scale != 1.0) continue;
        if (!is_relu_of(rewriter, rewriter.at(*relu_grad).inputs[0], apply)) continue;
        auto sums_of = rewriter.at(*sums);
        for (auto* part : {&sums_of, &apply}) {
            part->inputs[1] = rewriter.at(*relu_grad).inputs[1];
            set_relu(part->attributes);
        }
        apply.folded = {Kind::relu_grad, Kind::batch_norm_grad};
        rewriter.remove(*relu_grad);
        rewriter.put(*sums, std::move(sums_of));
        rewriter.put(p, std::move(apply));
    }
}

/// dx and the other part of the same gradient, added where dx is written. That place stays: exchanges of
/// dgamma and dbeta may begin right behind it. The other part becomes the last input. own_inputs: the number
/// of inputs of a gradient that adds nothing.
void fold_gradient_sum(Rewriter& rewriter, Kind gradient_kind, std::size_t own_inputs) {
    for (Position p = 0; p < rewriter.size(); ++p) {
        if (!rewriter.is(p, gradient_kind) || rewriter.at(p).inputs.size() != own_inputs) continue;
        auto gradient = rewriter.at(p);
        if (!has_relu(gradient.attributes)) continue;
        const auto dx = gradient.outputs[0];
        const auto sum = rewriter.sole_reader(dx, Kind::add_n);
        if (!sum || rewriter.at(*sum).inputs.size() != 2) continue;
        const auto& parts = rewriter.at(*sum).inputs;
        const auto other = parts[0] == dx ? parts[1] : parts[0];
        if (!rewriter.written_before(other, p)) continue;
        gradient.inputs.push_back(other);
        gradient.outputs[0] = rewriter.at(*sum).outputs[0];
        gradient.folded.push_back(Kind::add_n);
        rewriter.remove(*sum);
        rewriter.put(p, std::move(gradient));
    }
}

/// y = convolution(x) + b, for pointwise kernels of one group: those of 3 x 3 are computed by Winograd's
/// algorithm, which takes no addend, and not every fast implementation for groups takes one.
void fold_addition_into_convolution(Rewriter& rewriter) {
    for (Position p = 0; p < rewriter.size(); ++p) {
        if (!rewriter.is(p, Kind::add)) continue;
        const auto operands = rewriter.at(p).inputs;
        for (const std::size_t side : {1U, 0U}) {
            const auto writer = rewriter.writer(operands[side], Kind::fused_conv2d);
            if (!writer || !rewriter.sole_reader(operands[side], Kind::add) || operands[0] == operands[1])
                continue;
            auto fused = rewriter.at(*writer);
            const auto& window = fused.as<WindowAttributes>();
            if (window.relu || window.groups > 1 || fused.inputs.size() != 3 ||
                window.size != std::array<std::int64_t, 2>{1, 1})
                continue;
            fused.inputs.push_back(operands[1 - side]);
            fused.outputs = rewriter.at(p).outputs;
            fused.folded.push_back(Kind::add);
            rewriter.remove(*writer);
            rewriter.put(p, std::move(fused));
            break;
        }
    }
}

/// The three operators of a penalty's term.
void fuse_square_sum(Rewriter& rewriter) {
    for (Position p = 0; p < rewriter.size(); ++p) {
        if (!rewriter.is(p, Kind::square)) continue;
        const auto sum = rewriter.sole_reader(rewriter.at(p).outputs[0], Kind::sum);
        if (!sum) continue;
        const auto scale = rewriter.sole_reader(rewriter.at(*sum).outputs[0], Kind::scale);
        if (!scale) continue;
        auto fused = rewriter.at(*scale);
        fused.kind = Kind::fused_square_sum;
        fused.inputs = rewriter.at(p).inputs;
        fused.folded = {Kind::square, Kind::sum, Kind::scale};
        rewriter.remove(p);
        rewriter.remove(*sum);
        rewriter.put(*scale, std::move(fused));
    }
}

/// The adding of a penalty's gradient: where only the update reads the sum, the update adds; else, as where
/// it is clipped first, one operator adds in place.
void fuse_decay(Rewriter& rewriter) {
    for (Position p = 0; p < rewriter.size(); ++p) {
        if (!rewriter.is(p, Kind::add_n) || rewriter.at(p).pass != Pass::update) continue;
        const auto add = rewriter.at(p);
        const auto decay = rewriter.writer(add.inputs.at(1), Kind::scale);
        if (!decay) continue;
        const auto sum = add.outputs[0];
        const auto gradient = add.inputs[0];
        const auto weight = rewriter.at(*decay).inputs[0];
        const auto attributes = rewriter.at(*decay).as<ScaleAttributes>();
        const std::vector folded{Kind::scale, Kind::add_n};
        const auto reader = rewriter.sole_reader(sum);
        rewriter.replace(sum, gradient, p + 1);
        rewriter.remove(*decay);
        if (reader && std::holds_alternative<UpdateAttributes>(rewriter.at(*reader).attributes)) {
            auto update = rewriter.at(*reader);
            std::get<UpdateAttributes>(update.attributes).decay = attributes.factor;
            update.folded = folded;
            rewriter.put(*reader, std::move(update));
            rewriter.remove(p);
        } else {
            rewriter.put(p, {Kind::fused_decay,
                             add.name,
                             Pass::update,
                             {gradient, weight},
                             {gradient},
                             attributes,
                             folded,
                             add.of_step_before,
                             add.range});
        }
    }
}

}  // namespace

void fuse(std::vector<Operator>& operators, std::vector<TensorInfo>& tensors) {
    Rewriter rewriter(operators, tensors);
    commute_relu_and_max_pool_gradients(rewriter);
    fold_dropout_gradient_into_relu_gradient(rewriter);
    fuse_dropout(rewriter);
    fuse_bias_and_relu(rewriter, Kind::conv2d, Kind::fused_conv2d);
    fuse_bias_and_relu(rewriter, Kind::matmul, Kind::fused_matmul);
    fold_addition_into_convolution(rewriter);
    fuse_batch_norm_and_relu(rewriter, Kind::batch_norm, Kind::fused_batch_norm);
    fuse_batch_norm_and_relu(rewriter, Kind::batch_norm_inference, Kind::fused_batch_norm_inference);
    fuse_batch_norm_and_relu(rewriter, Kind::batch_norm_apply, Kind::batch_norm_apply);
    fuse_batch_norm_and_relu_gradients(rewriter);
    fuse_shared_batch_norm_and_relu_gradients(rewriter);
    fold_gradient_sum(rewriter, Kind::fused_batch_norm_grad, 6);
    fold_gradient_sum(rewriter, Kind::batch_norm_grad_apply, 7);
    fuse_square_sum(rewriter);
    fuse_bias_gradient(rewriter, Kind::conv2d_backprop_filter, Kind::fused_conv2d_backprop_filter);
    fuse_bias_gradient(rewriter, Kind::matmul_backprop_weight, Kind::fused_matmul_backprop_weight);
    fuse_decay(rewriter);
    rewriter.finish();
}

}  // namespace convoy
