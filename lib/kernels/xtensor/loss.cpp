#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"
#include "kernels/xtensor/families.hpp"
#include "kernels/xtensor/views.hpp"

namespace convoy::plain {
namespace {

/// What the loss operator works on: logits N,F; labels N; dlogits N,F, which only training has; metrics
/// {sum of losses, correct predictions}.
template <typename Scalar>
struct Loss {
    Tensor<Scalar> logits;
    Integers labels;
    Tensor<Scalar> dlogits;
    Tensor<Scalar> metrics;
};

/// Position of the largest logit of example n; the first of equals.
template <typename Matrix>
std::size_t argmax(const Matrix& logits, std::size_t n) {
    std::size_t best = 0;
    for (std::size_t f = 1; f < logits.shape(1); ++f) {
        if (logits(n, f) > logits(n, best)) best = f;
    }
    return best;
}

/// log of the sum of exp over the logits of example n, around their largest so that exp cannot overflow.
template <typename Matrix>
double log_sum_exp(const Matrix& logits, std::size_t n) {
    const auto largest = static_cast<double>(logits(n, argmax(logits, n)));
    double sum = 0.0;
    for (std::size_t f = 0; f < logits.shape(1); ++f) {
        sum += std::exp(static_cast<double>(logits(n, f)) - largest);
    }
    return largest + std::log(sum);
}

/// The label of example n. Throws InternalError where it is none of the classes.
template <typename Scalar>
std::size_t label_of(const Loss<Scalar>& loss, std::size_t n) {
    const auto label = loss.labels[n];
    if (label < 0 || label >= loss.logits.shape[1]) {
        throw InternalError(fmt::format("label {} of {} classes", label, loss.logits.shape[1]));
    }
    return static_cast<std::size_t>(label);
}

/// Loss of an example: log sum exp(logits) - logits[label]. Writes metrics.
template <typename Scalar>
void score(const Loss<Scalar>& loss) {
    const auto logits = matrix(loss.logits);
    double sum = 0.0;
    std::int64_t correct = 0;
    for (std::size_t n = 0; n < logits.shape(0); ++n) {
        const auto label = label_of(loss, n);
        sum += log_sum_exp(logits, n) - static_cast<double>(logits(n, label));
        correct += argmax(logits, n) == label ? 1 : 0;
    }
    loss.metrics.values[0] = static_cast<Scalar>(sum);
    loss.metrics.values[1] = static_cast<Scalar>(correct);
}

/// dlogits = (softmax(logits) - onehot(label)) / global_examples
template <typename Scalar>
void differentiate(const Loss<Scalar>& loss, std::int64_t global_examples) {
    const auto logits = matrix(loss.logits);
    auto dlogits = matrix(loss.dlogits);
    for (std::size_t n = 0; n < logits.shape(0); ++n) {
        const auto label = label_of(loss, n);
        const auto log_sum = log_sum_exp(logits, n);
        for (std::size_t f = 0; f < logits.shape(1); ++f) {
            const auto probability = std::exp(static_cast<double>(logits(n, f)) - log_sum);
            const auto target = f == label ? 1.0 : 0.0;
            dlogits(n, f) =
                static_cast<Scalar>((probability - target) / static_cast<double>(global_examples));
        }
    }
}

}  // namespace

template <typename Scalar>
Run bind_loss(const Operator& op, const Memory<Scalar>& memory) {
    if (op.kind != OperatorKind::softmax_cross_entropy) return {};
    Loss<Scalar> loss{.logits = memory.tensor(op.inputs.at(0)),
                      .labels = memory.integers(op.inputs.at(1)),
                      .dlogits = {},
                      .metrics = memory.tensor(op.outputs.back())};
    if (op.outputs.size() == 1) return [loss](const StepContext&) { score(loss); };
    loss.dlogits = memory.tensor(op.outputs.front());
    return [loss](const StepContext& context) {
        score(loss);
        differentiate(loss, context.global_examples);
    };
}

template Run bind_loss(const Operator&, const Memory<float>&);
template Run bind_loss(const Operator&, const Memory<double>&);

}  // namespace convoy::plain
