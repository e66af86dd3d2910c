#include <xtensor-blas/xlinalg.hpp>

#include "kernels/xtensor/families.hpp"
#include "kernels/xtensor/views.hpp"

namespace convoy::plain {
namespace {

/// x N,F; weight O,F -> y N,O = x weight^T
template <typename Scalar>
void matmul(const Tensor<Scalar>& x, const Tensor<Scalar>& weight, const Tensor<Scalar>& y) {
    if (y.values.empty()) return;
    const auto factor = matrix(weight);
    auto result = matrix(y);
    xt::noalias(result) = xt::linalg::dot(matrix(x), xt::transpose(factor));
}

/// x N,F; dy N,O -> dweight O,F = dy^T x
template <typename Scalar>
void matmul_backprop_weight(const Tensor<Scalar>& x, const Tensor<Scalar>& dy,
                            const Tensor<Scalar>& dweight) {
    auto result = matrix(dweight);
    result.fill(Scalar{0});
    if (x.values.empty()) return;
    const auto factor = matrix(dy);
    xt::noalias(result) = xt::linalg::dot(xt::transpose(factor), matrix(x));
}

/// weight O,F; dy N,O -> dx N,F = dy weight
template <typename Scalar>
void matmul_backprop_input(const Tensor<Scalar>& weight, const Tensor<Scalar>& dy, const Tensor<Scalar>& dx) {
    if (dx.values.empty()) return;
    auto result = matrix(dx);
    xt::noalias(result) = xt::linalg::dot(matrix(dy), matrix(weight));
}

/// x N,C[,H,W]; bias C -> y of x's shape; x and y may be the same memory
template <typename Scalar>
void bias_add(const Tensor<Scalar>& x, const Tensor<Scalar>& bias, const Tensor<Scalar>& y) {
    const auto per_channel =
        view_as(bias.values.data(), std::array<std::size_t, 3>{1, bias.values.size(), 1});
    auto result = channels(y);
    xt::noalias(result) = channels(x) + per_channel;
}

/// dy N,C[,H,W] -> dbias C
template <typename Scalar>
void bias_add_grad(const Tensor<Scalar>& dy, const Tensor<Scalar>& dbias) {
    auto sum = flat(dbias);
    sum.fill(Scalar{0});
    const auto gradient = channels(dy);
    for (std::size_t n = 0; n < gradient.shape(0); ++n) {
        for (std::size_t c = 0; c < gradient.shape(1); ++c) {
            for (std::size_t pixel = 0; pixel < gradient.shape(2); ++pixel) sum(c) += gradient(n, c, pixel);
        }
    }
}

}  // namespace

template <typename Scalar>
Run bind_dense(const Operator& op, const Memory<Scalar>& memory) {
    if (op.kind == OperatorKind::bias_add_grad) {
        return [dy = memory.tensor(op.inputs.at(0)),
                dbias = memory.tensor(op.outputs.at(0))](const StepContext&) { bias_add_grad(dy, dbias); };
    }
    void (*function)(const Tensor<Scalar>&, const Tensor<Scalar>&, const Tensor<Scalar>&) = nullptr;
    switch (op.kind) {
        case OperatorKind::matmul: function = matmul<Scalar>; break;
        case OperatorKind::matmul_backprop_weight: function = matmul_backprop_weight<Scalar>; break;
        case OperatorKind::matmul_backprop_input: function = matmul_backprop_input<Scalar>; break;
        case OperatorKind::bias_add: function = bias_add<Scalar>; break;
        default: return {};
    }
    return [function, a = memory.tensor(op.inputs.at(0)), b = memory.tensor(op.inputs.at(1)),
            result = memory.tensor(op.outputs.at(0))](const StepContext&) { function(a, b, result); };
}

template Run bind_dense(const Operator&, const Memory<float>&);
template Run bind_dense(const Operator&, const Memory<double>&);

}  // namespace convoy::plain
