#include <algorithm>
#include <cmath>

#include "kernels/xtensor/families.hpp"
#include "kernels/xtensor/views.hpp"

/// Gradients held within a limit, in place, and what comes before: sums over micro-batches, the
/// penalty's part and their norm.
namespace convoy::plain {
namespace {

/// The sum of all elements' squares, one tensor after the other.
template <typename Scalar>
double squared_norm_of(const std::vector<Tensor<Scalar>>& tensors) {
    double total = 0.0;
    for (const auto& tensor : tensors) {
        for (const auto value : tensor.values)
            total += static_cast<double>(value) * static_cast<double>(value);
    }
    return total;
}

template <typename Scalar>
double norm_of(const std::vector<Tensor<Scalar>>& tensors) {
    return std::sqrt(squared_norm_of(tensors));
}

template <typename Scalar>
void scale_to(double limit, double norm, const Tensor<Scalar>& gradient) {
    auto g = flat(gradient);
    g *= static_cast<Scalar>(clip_factor(norm, limit));
}

template <typename Scalar>
void clip_by_value(double limit, const Tensor<Scalar>& gradient) {
    const auto most = static_cast<Scalar>(limit);
    for (auto& value : gradient.values) value = std::clamp(value, -most, most);
}

/// gradient += factor weight, or the gradient of a micro-batch
template <typename Scalar>
void add_decay(double factor, const Tensor<Scalar>& weight, const Tensor<Scalar>& gradient) {
    auto g = flat(gradient);
    xt::noalias(g) += static_cast<Scalar>(factor) * flat(weight);
}

}  // namespace

template <typename Scalar>
Run bind_clipping(const Operator& op, const Memory<Scalar>& memory) {
    std::vector<Tensor<Scalar>> in;
    for (const auto id : op.inputs) in.push_back(memory.tensor(id));
    switch (op.kind) {
        case OperatorKind::fused_decay:
            return [weight = worked_on(op, in.at(1)), gradient = worked_on(op, in.at(0)),
                    factor = op.as<ScaleAttributes>().factor](const StepContext&) {
                add_decay(factor, weight, gradient);
            };
        case OperatorKind::assign_add:
            return [part = in.at(1), sum = in.at(0)](const StepContext&) { add_decay(1.0, part, sum); };
        case OperatorKind::global_norm:
            return [in, norm = memory.tensor(op.outputs.at(0))](const StepContext&) {
                norm.values[0] = static_cast<Scalar>(norm_of(in));
            };
        case OperatorKind::squared_norm:
            return [in, sum = memory.tensor(op.outputs.at(0))](const StepContext&) {
                sum.values[0] = static_cast<Scalar>(squared_norm_of(in));
            };
        case OperatorKind::square_root:
            return [x = in.at(0), y = memory.tensor(op.outputs.at(0))](const StepContext&) {
                std::ranges::transform(x.values, y.values.begin(),
                                       [](Scalar value) { return std::sqrt(value); });
            };
        case OperatorKind::clip_by_global_norm:
            return [norm = in.at(1), gradient = worked_on(op, in.at(0)),
                    limit = op.as<ClipAttributes>().limit](const StepContext&) {
                scale_to(limit, static_cast<double>(norm.values[0]), gradient);
            };
        case OperatorKind::clip_by_norm:
            return [in, limit = op.as<ClipAttributes>().limit](const StepContext&) {
                scale_to(limit, norm_of(in), in[0]);
            };
        case OperatorKind::clip_by_value:
            return [gradient = worked_on(op, in.at(0)), limit = op.as<ClipAttributes>().limit](
                       const StepContext&) { clip_by_value(limit, gradient); };
        default: return {};
    }
}

template Run bind_clipping(const Operator&, const Memory<float>&);
template Run bind_clipping(const Operator&, const Memory<double>&);

}  // namespace convoy::plain
