#include <algorithm>
#include <cmath>

#include "kernels/xtensor/families.hpp"
#include "kernels/xtensor/views.hpp"

/// Batch normalisation over the examples and pixels of each channel: x, y and their gradients are N,C,H,W or
/// N,F, all else is one value a channel. Ioffe and Szegedy, "Batch Normalization", ICML 2015, algorithm 1 and
/// section 3.
namespace convoy::plain {
namespace {

/// What the values of one channel are normalised with.
template <typename Scalar>
struct Normaliser {
    Scalar mean, inverse_deviation, gamma, beta;
    [[nodiscard]] Scalar normalised(Scalar x) const { return (x - mean) * inverse_deviation; }
    [[nodiscard]] Scalar result(Scalar x) const { return gamma * normalised(x) + beta; }
};

template <typename Scalar>
Normaliser<Scalar> normaliser(std::size_t channel, const Tensor<Scalar>& gamma, const Tensor<Scalar>& beta,
                              const Tensor<Scalar>& mean, const Tensor<Scalar>& variance, double epsilon) {
    const auto deviation = std::sqrt(variance.values[channel] + static_cast<Scalar>(epsilon));
    return {mean.values[channel], Scalar{1} / deviation, gamma.values[channel], beta.values[channel]};
}

/// Mean and (biased) variance of every channel.
template <typename Scalar>
void find_moments(const Tensor<Scalar>& x, const Tensor<Scalar>& mean, const Tensor<Scalar>& variance) {
    const auto values = channels(x);
    const auto count = static_cast<double>(values.shape(0) * values.shape(2));
    for (std::size_t c = 0; c < values.shape(1); ++c) {
        const auto sum_of = [&](const auto& function) {
            double sum = 0.0;
            for (std::size_t n = 0; n < values.shape(0); ++n) {
                for (std::size_t p = 0; p < values.shape(2); ++p)
                    sum += function(static_cast<double>(values(n, c, p)));
            }
            return sum;
        };
        const double middle = sum_of([](double value) { return value; }) / count;
        const double spread =
            sum_of([=](double value) { return (value - middle) * (value - middle); }) / count;
        mean.values[c] = static_cast<Scalar>(middle);
        variance.values[c] = static_cast<Scalar>(spread);
    }
}

/// moving = momentum moving + (1 - momentum) of this batch; the variance that is kept is the unbiased one.
template <typename Scalar>
void move(const BatchNormAttributes& attributes, double count, const Tensor<Scalar>& mean,
          const Tensor<Scalar>& variance, const Tensor<Scalar>& moving_mean,
          const Tensor<Scalar>& moving_variance) {
    const auto keep = static_cast<Scalar>(attributes.momentum);
    const auto take = static_cast<Scalar>(1.0 - attributes.momentum);
    const auto unbiased = static_cast<Scalar>(count / std::max(count - 1.0, 1.0));
    for (std::size_t c = 0; c < mean.values.size(); ++c) {
        moving_mean.values[c] = keep * moving_mean.values[c] + take * mean.values[c];
        moving_variance.values[c] = keep * moving_variance.values[c] + take * unbiased * variance.values[c];
    }
}

/// y = gamma (x - mean) / sqrt(variance + epsilon) + beta, and ReLU where the attributes say so.
template <typename Scalar>
void normalise(const BatchNormAttributes& attributes, const Tensor<Scalar>& x, const Tensor<Scalar>& gamma,
               const Tensor<Scalar>& beta, const Tensor<Scalar>& mean, const Tensor<Scalar>& variance,
               const Tensor<Scalar>& y) {
    const auto in = channels(x);
    auto out = channels(y);
    for (std::size_t c = 0; c < in.shape(1); ++c) {
        const auto channel = normaliser(c, gamma, beta, mean, variance, attributes.epsilon);
        for (std::size_t n = 0; n < in.shape(0); ++n) {
            for (std::size_t p = 0; p < in.shape(2); ++p) {
                const auto value = channel.result(in(n, c, p));
                out(n, c, p) = attributes.relu ? std::max(value, Scalar{0}) : value;
            }
        }
    }
}

/// x, dy, gamma, beta, mean, variance, [addend] -> dx, dgamma, dbeta. With count values a channel:
/// dbeta = sum dy; dgamma = sum dy x^; dx = gamma / deviation (dy - dbeta / count - x^ dgamma / count) [+
/// addend]
template <typename Scalar>
void batch_norm_grad(const BatchNormAttributes& attributes, const std::vector<Tensor<Scalar>>& in,
                     const std::vector<Tensor<Scalar>>& out) {
    const auto x = channels(in.at(0));
    const auto gradient = channels(in.at(1));
    auto dx = channels(out.at(0));
    const auto count = static_cast<double>(x.shape(0) * x.shape(2));
    for (std::size_t c = 0; c < x.shape(1); ++c) {
        const auto channel = normaliser(c, in.at(2), in.at(3), in.at(4), in.at(5), attributes.epsilon);
        const auto dy = [&](std::size_t n, std::size_t p) {
            const bool cut = attributes.relu && !(channel.result(x(n, c, p)) > Scalar{0});
            return cut ? Scalar{0} : gradient(n, c, p);
        };
        double dbeta = 0.0;
        double dgamma = 0.0;
        for (std::size_t n = 0; n < x.shape(0); ++n) {
            for (std::size_t p = 0; p < x.shape(2); ++p) {
                dbeta += dy(n, p);
                dgamma += dy(n, p) * channel.normalised(x(n, c, p));
            }
        }
        const auto mean_dy = static_cast<Scalar>(dbeta / count);
        const auto mean_dgamma = static_cast<Scalar>(dgamma / count);
        for (std::size_t n = 0; n < x.shape(0); ++n) {
            for (std::size_t p = 0; p < x.shape(2); ++p) {
                const auto own = channel.gamma * channel.inverse_deviation *
                                 (dy(n, p) - mean_dy - channel.normalised(x(n, c, p)) * mean_dgamma);
                dx(n, c, p) = in.size() > 6 ? own + channels(in[6])(n, c, p) : own;
            }
        }
        out.at(1).values[c] = static_cast<Scalar>(dgamma);
        out.at(2).values[c] = static_cast<Scalar>(dbeta);
    }
}

template <typename Scalar>
void batch_norm(const BatchNormAttributes& attributes, const std::vector<Tensor<Scalar>>& in,
                const std::vector<Tensor<Scalar>>& out) {
    const auto& x = in.at(0);
    const auto count = static_cast<double>(x.values.size()) / static_cast<double>(in.at(1).values.size());
    find_moments(x, out.at(1), out.at(2));
    move(attributes, count, out.at(1), out.at(2), in.at(3), in.at(4));
    normalise(attributes, x, in.at(1), in.at(2), out.at(1), out.at(2), out.at(0));
}

template <typename Scalar>
void batch_norm_inference(const BatchNormAttributes& attributes, const std::vector<Tensor<Scalar>>& in,
                          const std::vector<Tensor<Scalar>>& out) {
    normalise(attributes, in.at(0), in.at(1), in.at(2), in.at(3), in.at(4), out.at(0));
}

}  // namespace

template <typename Scalar>
Run bind_batch_norm(const Operator& op, const Memory<Scalar>& memory) {
    using Tensors = std::vector<Tensor<Scalar>>;
    void (*function)(const BatchNormAttributes&, const Tensors&, const Tensors&) = nullptr;
    switch (op.kind) {
        case OperatorKind::batch_norm:
        case OperatorKind::fused_batch_norm: function = batch_norm<Scalar>; break;
        case OperatorKind::batch_norm_inference:
        case OperatorKind::fused_batch_norm_inference:
        case OperatorKind::recompute_batch_norm: function = batch_norm_inference<Scalar>; break;
        case OperatorKind::batch_norm_grad:
        case OperatorKind::fused_batch_norm_grad: function = batch_norm_grad<Scalar>; break;
        default: return {};
    }
    Tensors in;
    Tensors out;
    for (const auto id : op.inputs) in.push_back(memory.tensor(id));
    for (const auto id : op.outputs) out.push_back(memory.tensor(id));
    return
        [=, attributes = op.as<BatchNormAttributes>()](const StepContext&) { function(attributes, in, out); };
}

template Run bind_batch_norm(const Operator&, const Memory<float>&);
template Run bind_batch_norm(const Operator&, const Memory<double>&);

}  // namespace convoy::plain
