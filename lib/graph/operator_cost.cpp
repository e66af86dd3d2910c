#include "graph/operator_cost.hpp"

#include <fmt/format.h>

#include <set>
#include <stdexcept>

#include "base/checked.hpp"

namespace convoy {
namespace {

using Kind = OperatorKind;

/// FLOPs for each element, where several kinds share them.
constexpr std::int64_t moments_flops = 4, normalise_flops = 4, gradient_sums_flops = 5, gradient_flops = 4;
/// Of x that has its mean taken off and is divided by the deviation, which the gradient begins with.
constexpr std::int64_t standardise_flops = 2;
constexpr std::int64_t softmax_flops = 5;
constexpr std::int64_t decay_flops = 2;

/// One operator with the tensors that it works on.
class Work {
  public:
    Work(const Operator& op, std::span<const TensorInfo> tensors) : op_(op), tensors_(tensors) {}

    [[nodiscard]] Checked flops() const;

  private:
    [[nodiscard]] const Shape& shape(TensorId id) const { return tensors_[index(id)].shape; }
    /// Elements of an operand and of a result.
    [[nodiscard]] Checked in(std::size_t i = 0) const { return shape(op_.inputs.at(i)).elements(); }
    [[nodiscard]] Checked out(std::size_t i = 0) const { return shape(op_.outputs.at(i)).elements(); }
    [[nodiscard]] Checked all_in() const {
        Checked sum;
        for (const auto id : op_.inputs) sum += shape(id).elements();
        return sum;
    }

    /// results: of the forward product, whichever of its operands or their gradients this operator computes.
    static Checked product(Checked results, const Shape& weight) {
        return results == 0 ? 0 : 2 * results * (weight.elements() / weight[0]);
    }
    [[nodiscard]] Checked window() const {
        const auto& size = op_.as<WindowAttributes>().size;
        return Checked(size[0]) * size[1];
    }
    /// Bias, addend and ReLU behind a product.
    [[nodiscard]] Checked epilogue(bool relu) const {
        return out() *
               (1 + static_cast<std::int64_t>(op_.inputs.size() > 3) + static_cast<std::int64_t>(relu));
    }
    [[nodiscard]] Checked norm(std::int64_t each, bool relu) const {
        return in() * (each + static_cast<std::int64_t>(relu));
    }
    [[nodiscard]] bool norm_relu() const { return op_.as<BatchNormAttributes>().relu; }
    /// An addend behind so many operands.
    [[nodiscard]] Checked addend(std::size_t operands) const {
        return op_.inputs.size() > operands ? out() : Checked(0);
    }
    [[nodiscard]] Checked update(std::int64_t each) const {
        return in() * (each + (op_.as<UpdateAttributes>().decay != 0.0 ? decay_flops : 0));
    }

    const Operator& op_;
    std::span<const TensorInfo> tensors_;
};

Checked Work::flops() const {
    switch (op_.kind) {
        case Kind::dataset: return 0;
        case Kind::conv2d:
        case Kind::matmul: return product(out(), shape(op_.inputs[1]));
        case Kind::fused_conv2d:
            return product(out(), shape(op_.inputs[1])) + epilogue(op_.as<WindowAttributes>().relu);
        case Kind::fused_matmul:
            return product(out(), shape(op_.inputs[1])) + epilogue(op_.as<MatMulAttributes>().relu);
        case Kind::conv2d_backprop_filter:
        case Kind::matmul_backprop_weight: return product(in(1), shape(op_.outputs[0]));
        case Kind::fused_conv2d_backprop_filter:
        case Kind::fused_matmul_backprop_weight: return product(in(1), shape(op_.outputs[0])) + in(1);
        case Kind::conv2d_backprop_input:
        case Kind::matmul_backprop_input: return product(in(1), shape(op_.inputs[0]));
        case Kind::bias_add:
        case Kind::bias_add_grad:
        case Kind::relu:
        case Kind::tanh:
        case Kind::sigmoid: return in();
        case Kind::relu_grad: return in() * (op_.as<ReluGradAttributes>().scale == 1.0 ? 1 : 2);
        case Kind::leaky_relu:
        case Kind::leaky_relu_grad: return 2 * in();
        case Kind::tanh_grad:
        case Kind::sigmoid_grad: return 3 * in();
        case Kind::softmax: return softmax_flops * in();
        case Kind::softmax_grad: return 4 * in();
        case Kind::max_pool:
        case Kind::average_pool: return out() * window();
        case Kind::max_pool_grad: return in();
        case Kind::average_pool_grad: return in() * (window() + 1);
        case Kind::reshape:
        case Kind::reshape_grad: return 0;
        case Kind::random_uniform:
        case Kind::greater_equal:
        case Kind::cast:
        case Kind::multiply: return out();
        case Kind::fused_dropout:
        case Kind::fused_dropout_masked: return 4 * in();
        case Kind::batch_norm:
        case Kind::fused_batch_norm: return norm(moments_flops + normalise_flops, norm_relu());
        case Kind::batch_norm_inference:
        case Kind::fused_batch_norm_inference:
        case Kind::recompute_batch_norm:
        case Kind::batch_norm_apply: return norm(normalise_flops, norm_relu());
        case Kind::batch_norm_grad:
        case Kind::fused_batch_norm_grad:
            return norm(gradient_sums_flops + gradient_flops, norm_relu()) + addend(6);
        case Kind::batch_norm_moments: return norm(moments_flops, false);
        case Kind::batch_norm_statistics: return moments_flops * in();
        case Kind::batch_norm_grad_sums: return norm(gradient_sums_flops, norm_relu());
        case Kind::batch_norm_grad_apply:
            return norm(standardise_flops + gradient_flops, op_.as<SharedBatchNormAttributes>().norm.relu) +
                   addend(7);
        case Kind::add: return out();
        case Kind::add_n: return all_in() - out();
        case Kind::concat:
        case Kind::slice: return 0;
        case Kind::scale:
        case Kind::square: return out();
        case Kind::sum: return in();
        case Kind::fused_square_sum: return 2 * in() + out();
        case Kind::zeros_like: return 0;
        case Kind::softmax_cross_entropy:
            return in() * (softmax_flops + 1 + (op_.outputs.size() > 1 ? 2 : 0));
        case Kind::apply_gradient_descent: return update(2);
        case Kind::apply_momentum: return update(4);
        case Kind::apply_adagrad: return update(7);
        case Kind::apply_adadelta: return update(16);
        case Kind::apply_adam: return update(12);
        case Kind::fused_decay: return decay_flops * out();
        case Kind::global_norm:
        case Kind::squared_norm: return 2 * all_in();
        case Kind::square_root:
        case Kind::clip_by_global_norm: return out();
        case Kind::clip_by_norm: return 3 * out();
        case Kind::clip_by_value: return 2 * out();
        case Kind::assign_add: return out();
        case Kind::accumulate:
        case Kind::take_sums: return in();
        case Kind::pack:
        case Kind::unpack:
        case Kind::exchange_start:
        case Kind::exchange_wait:
        case Kind::exchange: return 0;
    }
    throw std::logic_error("an operator kind without FLOPs");
}

/// All tensors of a list, each once.
Checked bytes_of(const std::vector<TensorId>& ids, std::span<const TensorInfo> tensors,
                 std::int64_t activation_bytes) {
    Checked sum;
    const std::set<TensorId> each(ids.begin(), ids.end());
    for (const auto id : each) {
        const auto& tensor = tensors[index(id)];
        sum += Checked(tensor.shape.elements()) * element_bytes(tensor, activation_bytes);
    }
    return sum;
}

/// The operators whose operands say nothing about their traffic.
bool moves_nothing(Kind kind) {
    return kind == Kind::reshape || kind == Kind::reshape_grad || kind == Kind::exchange_start ||
           kind == Kind::exchange_wait || kind == Kind::exchange;
}

}  // namespace

std::int64_t element_bytes(const TensorInfo& tensor, std::int64_t activation_bytes) {
    switch (tensor.role) {
        case TensorRole::opaque: return 1;
        case TensorRole::input: {
            const bool labels = tensor.batched && tensor.shape.rank() <= 1;
            return labels ? 4 : activation_bytes;
        }
        case TensorRole::activation: return tensor.batched ? activation_bytes : 4;
        case TensorRole::parameter:
        case TensorRole::slot:
        case TensorRole::residual:
        case TensorRole::gradient:
        case TensorRole::gradient_norm:
        case TensorRole::penalty:
        case TensorRole::metrics:
        case TensorRole::bucket: return 4;
    }
    throw std::logic_error("a tensor role without a size");
}

bool is_product(OperatorKind kind) {
    switch (kind) {
        case Kind::conv2d:
        case Kind::conv2d_backprop_filter:
        case Kind::conv2d_backprop_input:
        case Kind::fused_conv2d:
        case Kind::fused_conv2d_backprop_filter:
        case Kind::matmul:
        case Kind::matmul_backprop_weight:
        case Kind::matmul_backprop_input:
        case Kind::fused_matmul:
        case Kind::fused_matmul_backprop_weight: return true;
        default: return false;
    }
}

bool is_pooling(OperatorKind kind) {
    return kind == Kind::max_pool || kind == Kind::max_pool_grad || kind == Kind::average_pool ||
           kind == Kind::average_pool_grad;
}

namespace {

/// The cost of some elements, where each of all elements costs as much.
OperatorCost part_of_cost(const OperatorCost& all, std::int64_t elements, std::uint64_t some) {
    const auto part = [&](std::int64_t amount) {
        return (Checked(amount / elements) * static_cast<std::int64_t>(some)).value();
    };
    return {.flops = part(all.flops),
            .read_bytes = part(all.read_bytes),
            .written_bytes = part(all.written_bytes)};
}

OperatorCost unnamed_cost(const Operator& op, std::span<const TensorInfo> tensors,
                          std::int64_t activation_bytes) {
    constexpr std::int64_t float_bytes = 4, exact_bytes = 8;
    OperatorCost cost{.flops = Work(op, tensors).flops().value()};
    if (moves_nothing(op.kind)) return cost;
    cost.read_bytes = bytes_of(op.inputs, tensors, activation_bytes).value();
    cost.written_bytes = bytes_of(op.outputs, tensors, activation_bytes).value();
    // The batch comes as float32; exact sums are no tensors.
    if (op.kind == Kind::dataset) cost.read_bytes = bytes_of(op.outputs, tensors, float_bytes).value();
    // Of a message, as much as the tensor has.
    if (op.kind == Kind::pack)
        cost.written_bytes =
            (Checked(tensors[index(op.inputs.at(0))].shape.elements()) * float_bytes).value();
    if (op.kind == Kind::unpack)
        cost.read_bytes = (Checked(tensors[index(op.outputs.at(0))].shape.elements()) * float_bytes).value();
    if (op.kind == Kind::accumulate || op.kind == Kind::take_sums) {
        const Checked elements = tensors[index(op.inputs.at(0))].shape.elements();
        const bool accumulates = op.kind == Kind::accumulate;
        cost.read_bytes = (elements * (exact_bytes + (accumulates ? float_bytes : 0))).value();
        cost.written_bytes = (elements * (exact_bytes + (accumulates ? 0 : float_bytes))).value();
    }
    return op.range ? part_of_cost(cost, tensors[index(op.outputs.at(0))].shape.elements(), op.range->count)
                    : cost;
}

}  // namespace

OperatorCost operator_cost(const Operator& op, std::span<const TensorInfo> tensors,
                           std::int64_t activation_bytes) {
    try {
        return unnamed_cost(op, tensors, activation_bytes);
    } catch (const SizeError&) {
        throw SizeError(fmt::format("{} of {}: its work is more than 64 bits can count; make it smaller",
                                    operator_name(op), op.name));
    }
}

std::int64_t OperatorCost::moved_bytes() const {
    return (Checked(read_bytes) + written_bytes).value();
}

OperatorCost& OperatorCost::operator+=(const OperatorCost& more) {
    flops = (Checked(flops) + more.flops).value();
    read_bytes = (Checked(read_bytes) + more.read_bytes).value();
    written_bytes = (Checked(written_bytes) + more.written_bytes).value();
    return *this;
}

}  // namespace convoy
