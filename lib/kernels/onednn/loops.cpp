#include "kernels/onednn/loops.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/cpu_versions.hpp"
#include "base/random.hpp"
#include "kernels/onednn/stored.hpp"

namespace convoy::onednn::loops {
namespace {

/// Runs body(i) for every index below count, vectorised and shared among the threads where there is enough to
/// share. Each piece has its own copy of the body, so that its pointers and factors stay in registers.
template <typename Body>
void for_each_index(std::size_t count, Body body) {
    constexpr std::size_t piece = 1 << 12;
    constexpr std::size_t worth_sharing = 8 * piece;
#pragma omp parallel for schedule(static) firstprivate(body) if (count >= worth_sharing)
    for (std::size_t first = 0; first < count; first += piece) {
        in_cpu_version([first, end = std::min(first + piece, count), body] {
#pragma omp simd
            for (std::size_t i = first; i < end; ++i) body(i);
        });
    }
}

/// The sum of term(value), by eight sums that take turns: in the same order whatever the width of vectors is.
template <typename Term>
double sum_of(std::span<const float> values, Term term) {
    constexpr std::size_t turns = 8;
    std::array<double, turns> sums{};
    in_cpu_version([values, term, &sums] {
        std::array<double, turns> own{};
        std::size_t i = 0;
        for (; i + turns <= values.size(); i += turns)
            for (std::size_t turn = 0; turn < turns; ++turn)
                own[turn] += term(static_cast<double>(values[i + turn]));
        for (std::size_t turn = 0; i < values.size(); ++i, ++turn)
            own[turn] += term(static_cast<double>(values[i]));
        sums = own;
    });
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

/// How many random numbers are drawn at a time: enough independent lanes to hide the latency of the
/// multiplications.
constexpr std::size_t lanes = 64;

/// philox2x32({indices[i], example}, key)[0] for 64 indices, round by round over all lanes so that it
/// vectorises.
void draw_lanes(const std::uint32_t* __restrict indices, std::uint32_t example, std::uint32_t key,
                std::uint32_t* __restrict bits) {
    std::array<std::uint32_t, lanes> left;   // NOLINT(cppcoreguidelines-pro-type-member-init)
    std::array<std::uint32_t, lanes> right;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    for (std::size_t i = 0; i < lanes; ++i) {
        left[i] = indices[i];
        right[i] = example;
    }
    for (int round = 0; round < 10; ++round) {
        for (std::size_t i = 0; i < lanes; ++i) {
            const std::uint64_t product = std::uint64_t{0xD256D193U} * left[i];
            left[i] = static_cast<std::uint32_t>(product >> 32U) ^ key ^ right[i];
            right[i] = static_cast<std::uint32_t>(product);
        }
        key += 0x9E3779B9U;
    }
    std::copy(left.begin(), left.end(), bits);
}

/// Calls use(position, count, bits) for 64 stored values of an example at a time; position counts over the
/// whole tensor. The last group of an example may be shorter.
template <typename Use>
void draw_example(const DropoutDraw& draw, std::size_t row, const Use& use) {
    const auto per_example = draw.indices.size();
    std::array<std::uint32_t, lanes> bits;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    std::array<std::uint32_t, lanes> padded{};
    for (std::size_t first = 0; first < per_example; first += lanes) {
        const auto count = std::min(lanes, per_example - first);
        const auto* indices = draw.indices.data() + first;
        if (count < lanes) {
            std::copy_n(indices, count, padded.begin());
            indices = padded.data();
        }
        draw_lanes(indices, draw.examples[row], draw.key, bits.data());
        use(row * per_example + first, count, bits.data());
    }
}

/// Draws for every example.
template <typename Use>
void draw(const DropoutDraw& draw, const Use& use) {
#pragma omp parallel for schedule(static)
    for (std::size_t row = 0; row < draw.examples.size(); ++row)
        in_cpu_version([&draw, row, use] { draw_example(draw, row, use); });
}

/// An element is kept where its uniform number, bits / 2^32 cut to 24 bits, is at least the rate.
std::uint32_t keep_threshold(double rate) {
    return static_cast<std::uint32_t>(std::ceil(rate * 0x1.0p24)) << 8U;
}

}  // namespace

template <typename T>
void relu_gradient(std::span<const T> y, std::span<const T> dy, float scale, std::span<T> dx) {
    for_each_index(dx.size(), [y = y.data(), dy = dy.data(), dx = dx.data(), scale](std::size_t i) {
        const float scaled = scale * to_float(dy[i]);
        dx[i] = stored_as<T>(to_float(y[i]) > 0.0F ? scaled : 0.0F);
    });
}

template <typename T>
void multiply(std::span<const T> a, std::span<const T> b, std::span<T> out) {
    for_each_index(out.size(), [a = a.data(), b = b.data(), out = out.data()](std::size_t i) {
        out[i] = stored_as<T>(to_float(a[i]) * to_float(b[i]));
    });
}

template <typename T>
void add(std::span<const T> a, std::span<const T> b, std::span<T> out) {
    for_each_index(out.size(), [as = a.data(), bs = b.data(), outs = out.data()](std::size_t i) {
        outs[i] = stored_as<T>(to_float(as[i]) + to_float(bs[i]));
    });
}

void scale(std::span<const float> in, float factor, std::span<float> out) {
    for_each_index(out.size(), [factor, ins = in.data(), outs = out.data()](std::size_t i) {
        outs[i] = factor * ins[i];
    });
}

void clamp(float limit, std::span<float> values) {
    for_each_index(values.size(), [limit, values = values.data()](std::size_t i) {
        values[i] = std::clamp(values[i], -limit, limit);
    });
}

double sum(std::span<const float> values) {
    return sum_of(values, [](double value) { return value; });
}

double sum_of_squares(std::span<const float> values) {
    // The square of a float is exact in double, so processors with and without fused multiply-add agree.
    return sum_of(values, [](double value) { return value * value; });
}

void accumulate(std::span<const float> a, float factor, std::span<float> out) {
    for_each_index(out.size(),
                   [factor, as = a.data(), outs = out.data()](std::size_t i) { outs[i] += factor * as[i]; });
}

template <typename T>
void accumulate(std::span<const T> a, std::span<T> out) {
    for_each_index(out.size(), [a = a.data(), out = out.data()](std::size_t i) {
        out[i] = stored_as<T>(to_float(out[i]) + to_float(a[i]));
    });
}

void round_to_bfloat16(std::span<const float> in, std::span<Bfloat16> out) {
    for_each_index(out.size(),
                   [in = in.data(), out = out.data()](std::size_t i) { out[i] = to_bfloat16(in[i]); });
}

template <typename T>
void bias_add(const ChannelOrder& order, std::span<const T> x, std::span<const float> bias, std::span<T> y) {
    const auto blocks = order.blocks();
#pragma omp parallel for collapse(2) schedule(static)
    for (std::int64_t n = 0; n < order.examples; ++n) {
        for (std::int64_t b = 0; b < blocks; ++b) {
            const auto start = (n * blocks + b) * order.area * order.block;
            const auto real = std::min(order.block, order.channels - b * order.block);
            in_cpu_version([=, area = order.area, block = order.block, in = x.data() + start,
                            biases = bias.data() + b * order.block, out = y.data() + start] {
                for (std::int64_t at = 0; at < area * block; at += block) {
                    std::copy_n(in + at, block, out + at);
                    for (std::int64_t c = 0; c < real; ++c)
                        out[at + c] = stored_as<T>(to_float(out[at + c]) + biases[c]);
                }
            });
        }
    }
}

template <typename T>
void bias_gradient(const ChannelOrder& order, std::span<const T> dy, std::span<float> dbias) {
    const auto blocks = order.blocks();
    std::ranges::fill(dbias, 0.0F);
#pragma omp parallel for schedule(static)
    for (std::int64_t b = 0; b < blocks; ++b) {
        const auto real = std::min(order.block, order.channels - b * order.block);
        in_cpu_version([=, area = order.area, block = order.block, examples = order.examples,
                        sums = dbias.data() + b * order.block] {
            for (std::int64_t n = 0; n < examples; ++n) {
                const auto* start = dy.data() + (n * blocks + b) * area * block;
                for (std::int64_t at = 0; at < area * block; at += block)
                    for (std::int64_t c = 0; c < real; ++c) sums[c] += to_float(start[at + c]);
            }
        });
    }
}

std::vector<std::uint32_t> element_indices(const ChannelOrder& order) {
    std::vector<std::uint32_t> indices;
    indices.reserve(static_cast<std::size_t>(order.stored_per_example()));
    for (std::int64_t b = 0; b < order.blocks(); ++b) {
        for (std::int64_t p = 0; p < order.area; ++p) {
            for (std::int64_t c = 0; c < order.block; ++c) {
                indices.push_back(static_cast<std::uint32_t>((b * order.block + c) * order.area + p));
            }
        }
    }
    return indices;
}

void random_uniform(const DropoutDraw& settings, std::span<float> u) {
    draw(settings, [u](std::size_t position, std::size_t count, const std::uint32_t* bits) {
        for (std::size_t i = 0; i < count; ++i)
            u[position + i] = static_cast<float>(bits[i] >> 8U) * 0x1.0p-24F;
    });
}

template <typename T>
void dropout(const DropoutDraw& settings, std::span<const T> x, std::span<T> y, std::span<T> mask) {
    const auto threshold = keep_threshold(settings.rate);
    const auto scale = static_cast<float>(1.0 / (1.0 - settings.rate));
    draw(settings, [=](std::size_t position, std::size_t count, const std::uint32_t* __restrict bits) {
        const auto* __restrict in = x.data() + position;
        auto* __restrict out = y.data() + position;
        for (std::size_t i = 0; i < count; ++i) {
            const float scaled = to_float(in[i]) * scale;
            out[i] = stored_as<T>(bits[i] >= threshold ? scaled : 0.0F);
        }
        if (mask.empty()) return;
        for (std::size_t i = 0; i < count; ++i)
            mask[position + i] = stored_as<T>(bits[i] >= threshold ? scale : 0.0F);
    });
}

void gradient_descent(const Sgd& sgd, std::span<float> weight, std::span<const float> gradient) {
    const auto rate = static_cast<float>(sgd.learning_rate);
    for_each_index(weight.size(),
                   [=, w = weight.data(), g = gradient.data()](std::size_t i) { w[i] -= rate * g[i]; });
}

void momentum(const Sgd& sgd, std::span<float> weight, std::span<const float> gradient,
              std::span<float> velocity) {
    const auto rate = static_cast<float>(sgd.learning_rate);
    const auto keep = static_cast<float>(sgd.momentum);
    for_each_index(weight.size(),
                   [=, w = weight.data(), g = gradient.data(), v = velocity.data()](std::size_t i) {
                       v[i] = keep * v[i] + g[i];
                       w[i] -= rate * v[i];
                   });
}

void adagrad(const Adagrad& adagrad, std::span<float> weight, std::span<const float> gradient,
             std::span<float> accumulator) {
    const auto rate = static_cast<float>(adagrad.learning_rate);
    const auto epsilon = static_cast<float>(adagrad.epsilon);
    for_each_index(weight.size(),
                   [=, w = weight.data(), g = gradient.data(), a = accumulator.data()](std::size_t i) {
                       a[i] += g[i] * g[i];
                       w[i] -= rate * g[i] / (std::sqrt(a[i]) + epsilon);
                   });
}

void adadelta(const Adadelta& adadelta, std::span<float> weight, std::span<const float> gradient,
              std::span<float> accumulator, std::span<float> accumulated_update) {
    const auto rate = static_cast<float>(adadelta.learning_rate);
    const auto rho = static_cast<float>(adadelta.rho);
    const auto epsilon = static_cast<float>(adadelta.epsilon);
    for_each_index(weight.size(), [=, w = weight.data(), g = gradient.data(), a = accumulator.data(),
                                   d = accumulated_update.data()](std::size_t i) {
        a[i] = rho * a[i] + (1.0F - rho) * g[i] * g[i];
        const float update = std::sqrt((d[i] + epsilon) / (a[i] + epsilon)) * g[i];
        d[i] = rho * d[i] + (1.0F - rho) * update * update;
        w[i] -= rate * update;
    });
}

void adam(const Adam& adam, std::int64_t step, std::span<float> weight, std::span<const float> gradient,
          std::span<float> first_moment, std::span<float> second_moment) {
    const auto beta1 = static_cast<float>(adam.beta1);
    const auto beta2 = static_cast<float>(adam.beta2);
    const auto epsilon = static_cast<float>(adam.epsilon);
    const auto first_correction =
        static_cast<float>(1.0 / (1.0 - std::pow(adam.beta1, static_cast<double>(step))));
    const auto second_correction =
        static_cast<float>(1.0 / (1.0 - std::pow(adam.beta2, static_cast<double>(step))));
    const auto rate = static_cast<float>(adam.learning_rate) * first_correction;
    for_each_index(weight.size(), [=, w = weight.data(), g = gradient.data(), m = first_moment.data(),
                                   v = second_moment.data()](std::size_t i) {
        m[i] = beta1 * m[i] + (1.0F - beta1) * g[i];
        v[i] = beta2 * v[i] + (1.0F - beta2) * g[i] * g[i];
        w[i] -= rate * m[i] / (std::sqrt(v[i] * second_correction) + epsilon);
    });
}

void softmax_cross_entropy(std::int64_t classes, std::span<const float> logits,
                           std::span<const std::int32_t> labels, double divisor, std::span<float> gradient,
                           std::span<float> metrics) {
    const auto width = static_cast<std::size_t>(classes);
    double loss = 0.0;
    std::int64_t correct = 0;
    for (std::size_t n = 0; n < labels.size(); ++n) {
        const auto row = logits.subspan(n * width, width);
        const auto label = static_cast<std::size_t>(labels[n]);
        const auto largest = std::ranges::max_element(row);
        double sum = 0.0;
        for (const float logit : row) sum += std::exp(static_cast<double>(logit) - *largest);
        loss += std::log(sum) + *largest - row[label];
        correct += static_cast<std::size_t>(largest - row.begin()) == label ? 1 : 0;
        for (std::size_t c = 0; c < width && !gradient.empty(); ++c) {
            const double probability = std::exp(static_cast<double>(row[c]) - *largest) / sum;
            gradient[n * width + c] = static_cast<float>((probability - (c == label ? 1.0 : 0.0)) / divisor);
        }
    }
    metrics[0] = static_cast<float>(loss);
    metrics[1] = static_cast<float>(correct);
}

template void relu_gradient(std::span<const float>, std::span<const float>, float, std::span<float>);
template void relu_gradient(std::span<const Bfloat16>, std::span<const Bfloat16>, float, std::span<Bfloat16>);
template void multiply(std::span<const float>, std::span<const float>, std::span<float>);
template void multiply(std::span<const Bfloat16>, std::span<const Bfloat16>, std::span<Bfloat16>);
template void add(std::span<const float>, std::span<const float>, std::span<float>);
template void add(std::span<const Bfloat16>, std::span<const Bfloat16>, std::span<Bfloat16>);
template void accumulate(std::span<const float>, std::span<float>);
template void accumulate(std::span<const Bfloat16>, std::span<Bfloat16>);
template void bias_add(const ChannelOrder&, std::span<const float>, std::span<const float>, std::span<float>);
template void bias_add(const ChannelOrder&, std::span<const Bfloat16>, std::span<const float>,
                       std::span<Bfloat16>);
template void bias_gradient(const ChannelOrder&, std::span<const float>, std::span<float>);
template void bias_gradient(const ChannelOrder&, std::span<const Bfloat16>, std::span<float>);
template void dropout(const DropoutDraw&, std::span<const float>, std::span<float>, std::span<float>);
template void dropout(const DropoutDraw&, std::span<const Bfloat16>, std::span<Bfloat16>,
                      std::span<Bfloat16>);

}  // namespace convoy::onednn::loops
