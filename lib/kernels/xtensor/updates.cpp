#include <cmath>

#include "base/error.hpp"
#include "kernels/xtensor/families.hpp"
#include "kernels/xtensor/views.hpp"

/// Optimizers as spec/optimizer_spec.hpp writes them down: w the weight, g its gradient, all of one shape.
namespace convoy::plain {
namespace {

/// w -= learning_rate g
template <typename Scalar>
void apply_gradient_descent(const Sgd& sgd, const Tensor<Scalar>& weight, const Tensor<Scalar>& gradient) {
    auto w = flat(weight);
    xt::noalias(w) -= static_cast<Scalar>(sgd.learning_rate) * flat(gradient);
}

/// v = momentum v + g; w -= learning_rate v
template <typename Scalar>
void apply_momentum(const Sgd& sgd, const Tensor<Scalar>& weight, const Tensor<Scalar>& gradient,
                    const Tensor<Scalar>& velocity) {
    auto w = flat(weight);
    auto v = flat(velocity);
    xt::noalias(v) = static_cast<Scalar>(sgd.momentum) * v + flat(gradient);
    xt::noalias(w) -= static_cast<Scalar>(sgd.learning_rate) * v;
}

/// a += g^2; w -= learning_rate g / (sqrt(a) + epsilon)
template <typename Scalar>
void apply_adagrad(const Adagrad& adagrad, const Tensor<Scalar>& weight, const Tensor<Scalar>& gradient,
                   const Tensor<Scalar>& accumulator) {
    auto w = flat(weight);
    const auto g = flat(gradient);
    auto a = flat(accumulator);
    xt::noalias(a) += g * g;
    xt::noalias(w) -=
        static_cast<Scalar>(adagrad.learning_rate) * g / (xt::sqrt(a) + static_cast<Scalar>(adagrad.epsilon));
}

/// a = rho a + (1 - rho) g^2; u = sqrt(d + epsilon) / sqrt(a + epsilon) g;
/// w -= learning_rate u; d = rho d + (1 - rho) u^2
template <typename Scalar>
void apply_adadelta(const Adadelta& adadelta, const Tensor<Scalar>& weight, const Tensor<Scalar>& gradient,
                    const Tensor<Scalar>& accumulator, const Tensor<Scalar>& accumulated_update) {
    auto w = flat(weight);
    const auto g = flat(gradient);
    auto a = flat(accumulator);
    auto d = flat(accumulated_update);
    const auto rho = static_cast<Scalar>(adadelta.rho);
    const auto rest = static_cast<Scalar>(1.0 - adadelta.rho);
    const auto epsilon = static_cast<Scalar>(adadelta.epsilon);
    xt::noalias(a) = rho * a + rest * g * g;
    const xt::xtensor<Scalar, 1> u = xt::sqrt(d + epsilon) / xt::sqrt(a + epsilon) * g;
    xt::noalias(w) -= static_cast<Scalar>(adadelta.learning_rate) * u;
    xt::noalias(d) = rho * d + rest * u * u;
}

/// m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2; t counts from 1;
/// w -= learning_rate m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon)
template <typename Scalar>
void apply_adam(const Adam& adam, std::int64_t t, const Tensor<Scalar>& weight,
                const Tensor<Scalar>& gradient, const Tensor<Scalar>& first_moment,
                const Tensor<Scalar>& second_moment) {
    auto w = flat(weight);
    const auto g = flat(gradient);
    auto m = flat(first_moment);
    auto v = flat(second_moment);
    xt::noalias(m) = static_cast<Scalar>(adam.beta1) * m + static_cast<Scalar>(1.0 - adam.beta1) * g;
    xt::noalias(v) = static_cast<Scalar>(adam.beta2) * v + static_cast<Scalar>(1.0 - adam.beta2) * g * g;
    const auto step = static_cast<double>(t);
    const auto rate = static_cast<Scalar>(adam.learning_rate / (1.0 - std::pow(adam.beta1, step)));
    const auto correction = static_cast<Scalar>(1.0 / (1.0 - std::pow(adam.beta2, step)));
    xt::noalias(w) -= rate * m / (xt::sqrt(correction * v) + static_cast<Scalar>(adam.epsilon));
}

template <typename Scalar>
Run bind_update_of(const Operator& op, const OptimizerSpec& optimizer,
                   const std::vector<Tensor<Scalar>>& operands) {
    const auto& weight = operands.at(0);
    const auto& gradient = operands.at(1);
    switch (op.kind) {
        case OperatorKind::apply_gradient_descent:
            return [=, sgd = std::get<Sgd>(optimizer)](const StepContext& context) {
                apply_gradient_descent(at_rate(sgd, context.learning_rate_factor), weight, gradient);
            };
        case OperatorKind::apply_momentum:
            return [=, sgd = std::get<Sgd>(optimizer), v = operands.at(2)](const StepContext& context) {
                apply_momentum(at_rate(sgd, context.learning_rate_factor), weight, gradient, v);
            };
        case OperatorKind::apply_adagrad:
            return
                [=, adagrad = std::get<Adagrad>(optimizer), a = operands.at(2)](const StepContext& context) {
                    apply_adagrad(at_rate(adagrad, context.learning_rate_factor), weight, gradient, a);
                };
        case OperatorKind::apply_adadelta:
            return [=, adadelta = std::get<Adadelta>(optimizer), a = operands.at(2),
                    d = operands.at(3)](const StepContext& context) {
                apply_adadelta(at_rate(adadelta, context.learning_rate_factor), weight, gradient, a, d);
            };
        case OperatorKind::apply_adam:
            return [=, adam = std::get<Adam>(optimizer), m = operands.at(2),
                    v = operands.at(3)](const StepContext& context) {
                apply_adam(at_rate(adam, context.learning_rate_factor), context.step + 1, weight, gradient, m,
                           v);
            };
        default: throw InternalError("an update without a case");
    }
}

}  // namespace

template <typename Scalar>
Run bind_update(const Operator& op, const Memory<Scalar>& memory) {
    const auto* update = std::get_if<UpdateAttributes>(&op.attributes);
    if (update == nullptr) return {};
    std::vector<Tensor<Scalar>> operands;
    for (const auto id : op.inputs) operands.push_back(worked_on(op, memory.tensor(id)));
    auto run = bind_update_of(op, update->optimizer, operands);
    if (update->decay == 0.0) return run;
    return [run, weight = operands.at(0), gradient = operands.at(1),
            decay = static_cast<Scalar>(update->decay)](const StepContext& context) {
        auto g = flat(gradient);
        xt::noalias(g) += decay * flat(weight);
        run(context);
    };
}

template Run bind_update(const Operator&, const Memory<float>&);
template Run bind_update(const Operator&, const Memory<double>&);

}  // namespace convoy::plain
