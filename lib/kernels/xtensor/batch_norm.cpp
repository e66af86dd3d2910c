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

/// What a gradient reads: x, dy, gamma, beta, mean, variance.
template <typename Scalar>
struct GradientOperands {
    const BatchNormAttributes& attributes;
    const std::vector<Tensor<Scalar>>& in;

    [[nodiscard]] Normaliser<Scalar> channel(std::size_t c) const {
        return normaliser(c, in.at(2), in.at(3), in.at(4), in.at(5), attributes.epsilon);
    }
    /// dy behind ReLU's gradient, where that is folded in.
    [[nodiscard]] Scalar dy(const Normaliser<Scalar>& channel, Scalar x, Scalar gradient) const {
        const bool cut = attributes.relu && !(channel.result(x) > Scalar{0});
        return cut ? Scalar{0} : gradient;
    }
};

/// dgamma = sum dy x^; dbeta = sum dy
template <typename Scalar>
void sum_gradients(const GradientOperands<Scalar>& operands, std::span<Scalar> dgamma,
                   std::span<Scalar> dbeta) {
    const auto x = channels(operands.in.at(0));
    const auto gradient = channels(operands.in.at(1));
    for (std::size_t c = 0; c < x.shape(1); ++c) {
        const auto channel = operands.channel(c);
        double beta = 0.0;
        double gamma = 0.0;
        for (std::size_t n = 0; n < x.shape(0); ++n) {
            for (std::size_t p = 0; p < x.shape(2); ++p) {
                const auto dy = operands.dy(channel, x(n, c, p), gradient(n, c, p));
                beta += dy;
                gamma += dy * channel.normalised(x(n, c, p));
            }
        }
        dgamma[c] = static_cast<Scalar>(gamma);
        dbeta[c] = static_cast<Scalar>(beta);
    }
}

/// dx = gamma / deviation (dy - dbeta / count - x^ dgamma / count) [+ addend], where the sums are over count
/// values.
template <typename Scalar>
void write_gradient(const GradientOperands<Scalar>& operands, double count, std::span<const Scalar> dgamma,
                    std::span<const Scalar> dbeta, const Tensor<Scalar>* addend,
                    const Tensor<Scalar>& result) {
    const auto x = channels(operands.in.at(0));
    const auto gradient = channels(operands.in.at(1));
    auto dx = channels(result);
    for (std::size_t c = 0; c < x.shape(1); ++c) {
        const auto channel = operands.channel(c);
        const auto mean_dy = static_cast<Scalar>(static_cast<double>(dbeta[c]) / count);
        const auto mean_dgamma = static_cast<Scalar>(static_cast<double>(dgamma[c]) / count);
        for (std::size_t n = 0; n < x.shape(0); ++n) {
            for (std::size_t p = 0; p < x.shape(2); ++p) {
                const auto dy = operands.dy(channel, x(n, c, p), gradient(n, c, p));
                const auto own = channel.gamma * channel.inverse_deviation *
                                 (dy - mean_dy - channel.normalised(x(n, c, p)) * mean_dgamma);
                dx(n, c, p) = addend != nullptr ? own + channels(*addend)(n, c, p) : own;
            }
        }
    }
}

/// Values that each channel has.
template <typename Scalar>
double count_of(const Tensor<Scalar>& x, const Tensor<Scalar>& by_channel) {
    return static_cast<double>(x.values.size()) / static_cast<double>(by_channel.values.size());
}

/// x, dy, gamma, beta, mean, variance, [addend] -> dx, dgamma, dbeta.
template <typename Scalar>
void batch_norm_grad(const BatchNormAttributes& attributes, const std::vector<Tensor<Scalar>>& in,
                     const std::vector<Tensor<Scalar>>& out) {
    const GradientOperands<Scalar> operands{attributes, in};
    const auto& dgamma = out.at(1);
    const auto& dbeta = out.at(2);
    sum_gradients<Scalar>(operands, dgamma.values, dbeta.values);
    write_gradient<Scalar>(operands, count_of(in[0], dgamma), dgamma.values, dbeta.values,
                           in.size() > 6 ? &in[6] : nullptr, out.at(0));
}

/// x, dy, gamma, beta, mean, variance -> dgamma, dbeta, both once more
template <typename Scalar>
void batch_norm_grad_sums(const BatchNormAttributes& attributes, const std::vector<Tensor<Scalar>>& in,
                          const std::vector<Tensor<Scalar>>& out) {
    sum_gradients<Scalar>({attributes, in}, out.at(0).values, out.at(1).values);
    std::ranges::copy(out[0].values, out.at(2).values.begin());
    std::ranges::copy(out[1].values, out[2].values.begin() + std::ssize(out[0].values));
}

/// x, dy, gamma, beta, mean, variance, sums, [addend] -> dx
template <typename Scalar>
void batch_norm_grad_apply(const SharedBatchNormAttributes& shared, const std::vector<Tensor<Scalar>>& in,
                           const std::vector<Tensor<Scalar>>& out) {
    const auto channels = in.at(2).values.size();
    const std::span<const Scalar> sums = in.at(6).values;
    write_gradient<Scalar>({shared.norm, in}, shared.count(), sums.first(channels), sums.last(channels),
                           in.size() > 7 ? &in[7] : nullptr, out.at(0));
}

/// x -> moments: a row of means and one of variances for each rank, of which this one fills its own.
template <typename Scalar>
void batch_norm_moments(const SharedBatchNormAttributes& shared, const std::vector<Tensor<Scalar>>& in,
                        const std::vector<Tensor<Scalar>>& out) {
    const auto all = out.at(0).values;
    const auto channels = all.size() / shared.counts.size() / 2;
    const auto own = all.subspan(static_cast<std::size_t>(shared.rank) * 2 * channels, 2 * channels);
    const auto extent = static_cast<std::int64_t>(channels);
    std::ranges::fill(all, Scalar{0});
    find_moments<Scalar>(in.at(0), {own.first(channels), {extent}}, {own.last(channels), {extent}});
}

/// moments, moving mean, moving variance -> mean, variance of all ranks' values
template <typename Scalar>
void batch_norm_statistics(const SharedBatchNormAttributes& shared, const std::vector<Tensor<Scalar>>& in,
                           const std::vector<Tensor<Scalar>>& out) {
    const auto& moments = in.at(0).values;
    const auto channels = out.at(0).values.size();
    const auto weighted = [&](const auto& value) {
        double sum = 0.0;
        for (std::size_t rank = 0; rank < shared.counts.size(); ++rank)
            sum += static_cast<double>(shared.counts[rank]) * value(moments.subspan(2 * rank * channels));
        return sum / shared.count();
    };
    for (std::size_t c = 0; c < channels; ++c) {
        const double mean = weighted([&](auto row) { return static_cast<double>(row[c]); });
        const double variance = weighted([&](auto row) {
            const double offset = static_cast<double>(row[c]) - mean;
            return static_cast<double>(row[channels + c]) + offset * offset;
        });
        out[0].values[c] = static_cast<Scalar>(mean);
        out.at(1).values[c] = static_cast<Scalar>(variance);
    }
    move(shared.norm, shared.count(), out[0], out[1], in.at(1), in.at(2));
}

template <typename Scalar>
void batch_norm(const BatchNormAttributes& attributes, const std::vector<Tensor<Scalar>>& in,
                const std::vector<Tensor<Scalar>>& out) {
    const auto& x = in.at(0);
    find_moments(x, out.at(1), out.at(2));
    move(attributes, count_of(x, in.at(1)), out.at(1), out.at(2), in.at(3), in.at(4));
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
    const auto bind = [&]<typename Settings>(
                          void (*function)(const Settings&, const Tensors&, const Tensors&)) {
        Tensors in;
        Tensors out;
        for (const auto id : op.inputs) in.push_back(memory.tensor(id));
        for (const auto id : op.outputs) out.push_back(memory.tensor(id));
        return Run([=, settings = op.as<Settings>()](const StepContext&) { function(settings, in, out); });
    };
    switch (op.kind) {
        case OperatorKind::batch_norm:
        case OperatorKind::fused_batch_norm: return bind(batch_norm<Scalar>);
        case OperatorKind::batch_norm_inference:
        case OperatorKind::fused_batch_norm_inference:
        case OperatorKind::batch_norm_apply:
        case OperatorKind::recompute_batch_norm: return bind(batch_norm_inference<Scalar>);
        case OperatorKind::batch_norm_grad:
        case OperatorKind::fused_batch_norm_grad: return bind(batch_norm_grad<Scalar>);
        case OperatorKind::batch_norm_moments: return bind(batch_norm_moments<Scalar>);
        case OperatorKind::batch_norm_statistics: return bind(batch_norm_statistics<Scalar>);
        case OperatorKind::batch_norm_grad_sums: return bind(batch_norm_grad_sums<Scalar>);
        case OperatorKind::batch_norm_grad_apply: return bind(batch_norm_grad_apply<Scalar>);
        default: return {};
    }
}

template Run bind_batch_norm(const Operator&, const Memory<float>&);
template Run bind_batch_norm(const Operator&, const Memory<double>&);

}  // namespace convoy::plain
