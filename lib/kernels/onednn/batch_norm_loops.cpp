#include "kernels/onednn/batch_norm_loops.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/onednn/channel_stripes.hpp"
#include "kernels/onednn/stored_vector.hpp"

namespace convoy::onednn::loops {
namespace {

/// Means of the first example: values near the mean, from which sums of squares lose no digits.
template <std::size_t Lanes, typename T>
void first_means(const ChannelOrder& order, const Stripe<Lanes>& stripe, const T* x,
                 typename Stripe<Lanes>::Vector& means) {
    using Vector = typename Stripe<Lanes>::Vector;
    Vector sum{};
    for (std::int64_t p = 0; p < order.area; ++p) {
        Vector value;
        load<Lanes>(x + stripe.start + p * stripe.pixel_stride, value);
        sum += value;
    }
    means = sum / static_cast<float>(order.area);
}

template <std::size_t Lanes, typename T>
void find_moments(const ChannelOrder& order, const Stripe<Lanes>& stripe,
                  const BatchNormMoments<T>& operands) {
    using Vector = typename Stripe<Lanes>::Vector;
    const auto* x = operands.x.data();
    Vector middle;
    first_means(order, stripe, x, middle);
    std::array<double, Lanes> sums{};
    std::array<double, Lanes> squares{};
    sum_pixels(
        order, stripe, operands.scratch,
        [x, middle](std::int64_t at, Vector& sum, Vector& square) {
            Vector value;
            load<Lanes>(x + at, value);
            value -= middle;
            sum += value;
            square += value * value;
        },
        sums, squares);
    const auto count = static_cast<double>(order.examples * order.area);
    for (std::int64_t lane = 0; lane < stripe.valid; ++lane) {
        const auto i = static_cast<std::size_t>(lane);
        const auto channel = static_cast<std::size_t>(stripe.channel + lane);
        const double offset = sums[i] / count;
        operands.mean[channel] = static_cast<float>(static_cast<double>(middle[lane]) + offset);
        operands.variance[channel] = static_cast<float>(std::max(squares[i] / count - offset * offset, 0.0));
    }
}

/// y = factor x + offset, by channel.
template <typename Vector>
struct Line {
    Vector factor{}, offset{}, mean{}, inverse_deviation{};
};

template <std::size_t Lanes>
void line_of(const Stripe<Lanes>& stripe, double epsilon, std::span<const float> gamma,
             std::span<const float> beta, std::span<const float> mean, std::span<const float> variance,
             Line<typename Stripe<Lanes>::Vector>& line) {
    for (std::int64_t lane = 0; lane < stripe.valid; ++lane) {
        const auto c = static_cast<std::size_t>(stripe.channel + lane);
        const double inverse = 1.0 / std::sqrt(static_cast<double>(variance[c]) + epsilon);
        line.mean[lane] = mean[c];
        line.inverse_deviation[lane] = static_cast<float>(inverse);
        line.factor[lane] = static_cast<float>(gamma[c] * inverse);
        line.offset[lane] = static_cast<float>(beta[c] - mean[c] * gamma[c] * inverse);
    }
}

template <bool Relu, std::size_t Lanes, typename T>
void draw_line(const ChannelOrder& order, const Stripe<Lanes>& stripe,
               const Line<typename Stripe<Lanes>::Vector>& line, const T* x, T* y) {
    using Vector = typename Stripe<Lanes>::Vector;
    for_each_example(order, [=](std::int64_t n) {
        const auto base = stripe.start + n * stripe.example_stride;
        for (std::int64_t p = 0; p < order.area; ++p) {
            const auto at = base + p * stripe.pixel_stride;
            Vector value;
            load<Lanes>(x + at, value);
            value = value * line.factor + line.offset;
            if constexpr (Relu) value = value > 0.0F ? value : Vector{};
            store<Lanes>(value, y + at);
        }
    });
}

template <std::size_t Lanes, typename T>
void normalise(const ChannelOrder& order, const BatchNormAttributes& attributes, const Stripe<Lanes>& stripe,
               const BatchNormInference<T>& operands) {
    Line<typename Stripe<Lanes>::Vector> line;
    line_of(stripe, attributes.epsilon, operands.gamma, operands.beta, operands.mean, operands.variance,
            line);
    const auto draw = attributes.relu ? draw_line<true, Lanes, T> : draw_line<false, Lanes, T>;
    draw(order, stripe, line, operands.x.data(), operands.y.data());
}

/// The sums over a stripe: dgamma and dbeta.
template <bool Relu, std::size_t Lanes, typename T>
void sum_gradients(const ChannelOrder& order, const Stripe<Lanes>& stripe,
                   const Line<typename Stripe<Lanes>::Vector>& line, const BatchNormBackward<T>& operands) {
    using Vector = typename Stripe<Lanes>::Vector;
    std::array<double, Lanes> betas{};
    std::array<double, Lanes> gammas{};
    sum_pixels(
        order, stripe, operands.scratch,
        [line, x = operands.x.data(), dy = operands.dy.data()](std::int64_t at, Vector& beta, Vector& gamma) {
            Vector value;
            Vector gradient;
            load<Lanes>(x + at, value);
            load<Lanes>(dy + at, gradient);
            if constexpr (Relu) gradient = value * line.factor + line.offset > 0.0F ? gradient : Vector{};
            beta += gradient;
            gamma += gradient * (value - line.mean);
        },
        betas, gammas);
    for (std::int64_t lane = 0; lane < stripe.valid; ++lane) {
        const auto c = static_cast<std::size_t>(stripe.channel + lane);
        const auto i = static_cast<std::size_t>(lane);
        operands.dbeta[c] = static_cast<float>(betas[i]);
        operands.dgamma[c] =
            static_cast<float>(gammas[i] * static_cast<double>(line.inverse_deviation[lane]));
    }
}

/// dx = gamma / deviation (dy - dbeta / count - x^ dgamma / count) [+ addend]
template <bool Relu, bool Adds, std::size_t Lanes, typename T>
void write_gradient(const ChannelOrder& order, const Stripe<Lanes>& stripe,
                    const Line<typename Stripe<Lanes>::Vector>& line, float count,
                    const BatchNormBackward<T>& operands) {
    using Vector = typename Stripe<Lanes>::Vector;
    Vector dgamma;
    Vector dbeta;
    load_channels<Lanes>(stripe, operands.dgamma, dgamma);
    load_channels<Lanes>(stripe, operands.dbeta, dbeta);
    const Vector by_value = line.factor * line.inverse_deviation * dgamma / count;
    const Vector constant = line.factor * dbeta / count;
    for_each_example(order, [=, x = operands.x.data(), dy = operands.dy.data(),
                             addend = operands.addend.data(), dx = operands.dx.data()](std::int64_t n) {
        const auto base = stripe.start + n * stripe.example_stride;
        for (std::int64_t p = 0; p < order.area; ++p) {
            const auto at = base + p * stripe.pixel_stride;
            Vector value;
            Vector gradient;
            load<Lanes>(x + at, value);
            load<Lanes>(dy + at, gradient);
            if constexpr (Relu) gradient = value * line.factor + line.offset > 0.0F ? gradient : Vector{};
            Vector result = line.factor * gradient - by_value * (value - line.mean) - constant;
            if constexpr (Adds) {
                Vector other;
                load<Lanes>(addend + at, other);
                result += other;
            }
            store<Lanes>(result, dx + at);
        }
    });
}

/// What of a gradient is computed, and of how many values of a channel the sums are that dx is made of.
struct Parts {
    bool sums = true;
    bool input = true;
    double count = 0.0;
};

template <bool Relu, std::size_t Lanes, typename T>
void differentiate_stripe(const ChannelOrder& order, const Parts& parts, const Stripe<Lanes>& stripe,
                          const Line<typename Stripe<Lanes>::Vector>& line,
                          const BatchNormBackward<T>& operands) {
    if (parts.sums) sum_gradients<Relu>(order, stripe, line, operands);
    if (!parts.input) return;
    const auto write = operands.addend.empty() ? write_gradient<Relu, false, Lanes, T>
                                               : write_gradient<Relu, true, Lanes, T>;
    write(order, stripe, line, static_cast<float>(parts.count), operands);
}

template <typename T>
void differentiate(const ChannelOrder& order, const BatchNormAttributes& attributes, const Parts& parts,
                   const BatchNormBackward<T>& operands) {
    for_each_stripe(order, [&]<std::size_t Lanes>(const Stripe<Lanes>& stripe) {
        Line<typename Stripe<Lanes>::Vector> line;
        line_of(stripe, attributes.epsilon, operands.gamma, operands.beta, operands.mean, operands.variance,
                line);
        const auto work =
            attributes.relu ? differentiate_stripe<true, Lanes, T> : differentiate_stripe<false, Lanes, T>;
        work(order, parts, stripe, line, operands);
    });
}

}  // namespace

std::int64_t batch_norm_scratch(const ChannelOrder& order) {
    return order.examples * 2 * static_cast<std::int64_t>(widest);
}

template <typename T>
void batch_norm(const ChannelOrder& order, const BatchNormAttributes& attributes,
                const BatchNormForward<T>& operands) {
    const BatchNormInference<T> by_batch{operands.x,    operands.gamma,    operands.beta,
                                         operands.mean, operands.variance, operands.y};
    const BatchNormMoments<T> moments{operands.x, operands.mean, operands.variance, operands.scratch};
    for_each_stripe(order, [&](const auto& stripe) {
        find_moments(order, stripe, moments);
        normalise(order, attributes, stripe, by_batch);
    });
    move_statistics(attributes, static_cast<double>(order.examples * order.area), operands.mean,
                    operands.variance, {operands.moving_mean, operands.moving_variance});
}

template <typename T>
void batch_norm_moments(const ChannelOrder& order, const BatchNormMoments<T>& operands) {
    for_each_stripe(order, [&](const auto& stripe) { find_moments(order, stripe, operands); });
}

template <typename T>
void batch_norm_inference(const ChannelOrder& order, const BatchNormAttributes& attributes,
                          const BatchNormInference<T>& operands) {
    for_each_stripe(order, [&](const auto& stripe) { normalise(order, attributes, stripe, operands); });
}

template <typename T>
void batch_norm_gradient(const ChannelOrder& order, const BatchNormAttributes& attributes,
                         const BatchNormBackward<T>& operands) {
    differentiate(order, attributes, {.count = static_cast<double>(order.examples * order.area)}, operands);
}

template <typename T>
void batch_norm_gradient_sums(const ChannelOrder& order, const BatchNormAttributes& attributes,
                              const BatchNormBackward<T>& operands) {
    differentiate(order, attributes, {.input = false}, operands);
}

template <typename T>
void batch_norm_input_gradient(const ChannelOrder& order, const BatchNormAttributes& attributes, double count,
                               const BatchNormBackward<T>& operands) {
    differentiate(order, attributes, {.sums = false, .count = count}, operands);
}

template void batch_norm(const ChannelOrder&, const BatchNormAttributes&, const BatchNormForward<float>&);
template void batch_norm_moments(const ChannelOrder&, const BatchNormMoments<float>&);
template void batch_norm_inference(const ChannelOrder&, const BatchNormAttributes&,
                                   const BatchNormInference<float>&);
template void batch_norm_gradient(const ChannelOrder&, const BatchNormAttributes&,
                                  const BatchNormBackward<float>&);
template void batch_norm_gradient_sums(const ChannelOrder&, const BatchNormAttributes&,
                                       const BatchNormBackward<float>&);
template void batch_norm_input_gradient(const ChannelOrder&, const BatchNormAttributes&, double,
                                        const BatchNormBackward<float>&);
template void batch_norm(const ChannelOrder&, const BatchNormAttributes&, const BatchNormForward<Bfloat16>&);
template void batch_norm_moments(const ChannelOrder&, const BatchNormMoments<Bfloat16>&);
template void batch_norm_inference(const ChannelOrder&, const BatchNormAttributes&,
                                   const BatchNormInference<Bfloat16>&);
template void batch_norm_gradient(const ChannelOrder&, const BatchNormAttributes&,
                                  const BatchNormBackward<Bfloat16>&);
template void batch_norm_gradient_sums(const ChannelOrder&, const BatchNormAttributes&,
                                       const BatchNormBackward<Bfloat16>&);
template void batch_norm_input_gradient(const ChannelOrder&, const BatchNormAttributes&, double,
                                        const BatchNormBackward<Bfloat16>&);

}  // namespace convoy::onednn::loops
