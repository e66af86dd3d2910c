#include <cmath>

#include "kernels/xtensor/families.hpp"
#include "kernels/xtensor/views.hpp"

/// Activations and their gradients: x, y, dy and dx all have one shape. A gradient is written in terms of y.
namespace convoy::plain {
namespace {

/// y = max(x, 0); x and y may be the same memory
template <typename Scalar>
void relu(const Tensor<Scalar>& x, const Tensor<Scalar>& y) {
    auto result = flat(y);
    xt::noalias(result) = xt::maximum(flat(x), Scalar{0});
}

/// dx = y > 0 ? scale dy : 0
template <typename Scalar>
void relu_grad(const Tensor<Scalar>& y, const Tensor<Scalar>& dy, double scale, const Tensor<Scalar>& dx) {
    auto result = flat(dx);
    xt::noalias(result) = xt::where(flat(y) > Scalar{0}, static_cast<Scalar>(scale) * flat(dy), Scalar{0});
}

/// y = x > 0 ? x : slope x
template <typename Scalar>
void leaky_relu(const Tensor<Scalar>& x, double slope, const Tensor<Scalar>& y) {
    auto result = flat(y);
    xt::noalias(result) = xt::where(flat(x) > Scalar{0}, flat(x), static_cast<Scalar>(slope) * flat(x));
}

/// dx = y > 0 ? dy : slope dy
template <typename Scalar>
void leaky_relu_grad(const Tensor<Scalar>& y, const Tensor<Scalar>& dy, double slope,
                     const Tensor<Scalar>& dx) {
    auto result = flat(dx);
    xt::noalias(result) = xt::where(flat(y) > Scalar{0}, flat(dy), static_cast<Scalar>(slope) * flat(dy));
}

template <typename Scalar>
void tanh(const Tensor<Scalar>& x, const Tensor<Scalar>& y) {
    auto result = flat(y);
    xt::noalias(result) = xt::tanh(flat(x));
}

/// dx = dy (1 - y^2)
template <typename Scalar>
void tanh_grad(const Tensor<Scalar>& y, const Tensor<Scalar>& dy, const Tensor<Scalar>& dx) {
    auto result = flat(dx);
    xt::noalias(result) = flat(dy) * (Scalar{1} - flat(y) * flat(y));
}

/// y = 1 / (1 + exp(-x))
template <typename Scalar>
void sigmoid(const Tensor<Scalar>& x, const Tensor<Scalar>& y) {
    auto result = flat(y);
    xt::noalias(result) = Scalar{1} / (Scalar{1} + xt::exp(-flat(x)));
}

/// dx = dy y (1 - y)
template <typename Scalar>
void sigmoid_grad(const Tensor<Scalar>& y, const Tensor<Scalar>& dy, const Tensor<Scalar>& dx) {
    auto result = flat(dx);
    xt::noalias(result) = flat(dy) * flat(y) * (Scalar{1} - flat(y));
}

/// x N,F -> y N,F: exp(x) over the sum of its row; the largest of a row is taken off before exp, which
/// changes nothing but its range
template <typename Scalar>
void softmax(const Tensor<Scalar>& x, const Tensor<Scalar>& y) {
    const auto logits = matrix(x);
    auto result = matrix(y);
    for (std::size_t n = 0; n < logits.shape(0); ++n) {
        Scalar largest = logits(n, 0);
        for (std::size_t f = 1; f < logits.shape(1); ++f) largest = std::max(largest, logits(n, f));
        Scalar sum{0};
        for (std::size_t f = 0; f < logits.shape(1); ++f) {
            result(n, f) = std::exp(logits(n, f) - largest);
            sum += result(n, f);
        }
        for (std::size_t f = 0; f < logits.shape(1); ++f) result(n, f) /= sum;
    }
}

/// dx = y (dy - sum over the row of y dy)
template <typename Scalar>
void softmax_grad(const Tensor<Scalar>& y, const Tensor<Scalar>& dy, const Tensor<Scalar>& dx) {
    const auto probability = matrix(y);
    const auto gradient = matrix(dy);
    auto result = matrix(dx);
    for (std::size_t n = 0; n < probability.shape(0); ++n) {
        Scalar sum{0};
        for (std::size_t f = 0; f < probability.shape(1); ++f) sum += probability(n, f) * gradient(n, f);
        for (std::size_t f = 0; f < probability.shape(1); ++f) {
            result(n, f) = probability(n, f) * (gradient(n, f) - sum);
        }
    }
}

template <typename Scalar>
Run bind_forward(const Operator& op, const Memory<Scalar>& memory) {
    void (*function)(const Tensor<Scalar>&, const Tensor<Scalar>&) = nullptr;
    switch (op.kind) {
        case OperatorKind::relu: function = relu<Scalar>; break;
        case OperatorKind::tanh: function = tanh<Scalar>; break;
        case OperatorKind::sigmoid: function = sigmoid<Scalar>; break;
        case OperatorKind::softmax: function = softmax<Scalar>; break;
        default: return {};
    }
    return [function, x = memory.tensor(op.inputs.at(0)),
            y = memory.tensor(op.outputs.at(0))](const StepContext&) { function(x, y); };
}

template <typename Scalar>
Run bind_gradient(const Operator& op, const Memory<Scalar>& memory) {
    void (*function)(const Tensor<Scalar>&, const Tensor<Scalar>&, const Tensor<Scalar>&) = nullptr;
    switch (op.kind) {
        case OperatorKind::tanh_grad: function = tanh_grad<Scalar>; break;
        case OperatorKind::sigmoid_grad: function = sigmoid_grad<Scalar>; break;
        case OperatorKind::softmax_grad: function = softmax_grad<Scalar>; break;
        default: return {};
    }
    return [function, y = memory.tensor(op.inputs.at(0)), dy = memory.tensor(op.inputs.at(1)),
            dx = memory.tensor(op.outputs.at(0))](const StepContext&) { function(y, dy, dx); };
}

/// Those that have a number beside their tensors.
template <typename Scalar>
Run bind_with_number(const Operator& op, const Memory<Scalar>& memory) {
    const auto operand = [&](std::size_t i) { return memory.tensor(op.inputs.at(i)); };
    const auto result = [&] { return memory.tensor(op.outputs.at(0)); };
    switch (op.kind) {
        case OperatorKind::relu_grad:
            return [y = operand(0), dy = operand(1), scale = op.as<ReluGradAttributes>().scale,
                    dx = result()](const StepContext&) { relu_grad(y, dy, scale, dx); };
        case OperatorKind::leaky_relu:
            return [x = operand(0), slope = op.as<LeakyReluAttributes>().slope,
                    y = result()](const StepContext&) { leaky_relu(x, slope, y); };
        case OperatorKind::leaky_relu_grad:
            return [y = operand(0), dy = operand(1), slope = op.as<LeakyReluAttributes>().slope,
                    dx = result()](const StepContext&) { leaky_relu_grad(y, dy, slope, dx); };
        default: return {};
    }
}

}  // namespace

template <typename Scalar>
Run bind_activation(const Operator& op, const Memory<Scalar>& memory) {
    if (auto run = bind_forward(op, memory)) return run;
    if (auto run = bind_gradient(op, memory)) return run;
    return bind_with_number(op, memory);
}

template Run bind_activation(const Operator&, const Memory<float>&);
template Run bind_activation(const Operator&, const Memory<double>&);

}  // namespace convoy::plain
