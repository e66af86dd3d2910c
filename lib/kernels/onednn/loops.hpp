#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/onednn/layout.hpp"
#include "spec/optimizer_spec.hpp"

/// Element-wise work that oneDNN has no primitive for, or that is faster here. All loops run over tensors as
/// they lie in memory and are shared among the OpenMP threads.
namespace convoy::onednn::loops {

/// dx[i] = y[i] > 0 ? scale dy[i] : 0
void relu_gradient(std::span<const float> y, std::span<const float> dy, float scale, std::span<float> dx);

/// out[i] = a[i] b[i]
void multiply(std::span<const float> a, std::span<const float> b, std::span<float> out);

/// out[i] = a[i] + b[i]
void add(std::span<const float> a, std::span<const float> b, std::span<float> out);

/// out[i] = factor in[i]; out may be in.
void scale(std::span<const float> in, float factor, std::span<float> out);

/// The sum of all elements, and of their squares, with partial sums in double precision.
double sum(std::span<const float> values);
double sum_of_squares(std::span<const float> values);

/// out[i] += factor a[i]
void accumulate(std::span<const float> a, float factor, std::span<float> out);

/// out[i] += a[i]
void accumulate(std::span<const float> a, std::span<float> out);

/// y = x + bias of its channel. Padding channels are left alone.
void bias_add(const ChannelOrder& order, std::span<const float> x, std::span<const float> bias,
              std::span<float> y);

/// dbias = sum of dy over examples and area.
void bias_gradient(const ChannelOrder& order, std::span<const float> dy, std::span<float> dbias);

/// Which random number each stored float of one example takes: its element index in C,H,W order.
std::vector<std::uint32_t> element_indices(const ChannelOrder& order);

/// Random numbers of one dropout layer in one step.
struct DropoutDraw {
    std::uint32_t key = 0;  ///< of the RandomStream
    double rate = 0.0;
    std::span<const std::uint32_t> examples;  ///< by row
    std::span<const std::uint32_t> indices;   ///< element_indices
};

/// u[i]: uniform in [0, 1).
void random_uniform(const DropoutDraw& draw, std::span<float> u);

/// y = kept ? x / (1 - rate) : 0; with a mask, mask = kept ? 1 / (1 - rate) : 0 as well (empty: none is
/// written).
void dropout(const DropoutDraw& draw, std::span<const float> x, std::span<float> y, std::span<float> mask);

/// One update of a parameter of any layout; the formulas are those of spec/optimizer_spec.hpp.
void gradient_descent(const Sgd& sgd, std::span<float> weight, std::span<const float> gradient);
void momentum(const Sgd& sgd, std::span<float> weight, std::span<const float> gradient,
              std::span<float> velocity);
void adagrad(const Adagrad& adagrad, std::span<float> weight, std::span<const float> gradient,
             std::span<float> accumulator);
void adadelta(const Adadelta& adadelta, std::span<float> weight, std::span<const float> gradient,
              std::span<float> accumulator, std::span<float> accumulated_update);
/// step is counted from 1.
void adam(const Adam& adam, std::int64_t step, std::span<float> weight, std::span<const float> gradient,
          std::span<float> first_moment, std::span<float> second_moment);

/// Softmax cross-entropy of logits N x classes. gradient (empty: not wanted) becomes (softmax - one-hot) /
/// divisor; metrics becomes {sum of losses, correct}: an example is correct if its label's logit is the first
/// largest.
void softmax_cross_entropy(std::int64_t classes, std::span<const float> logits,
                           std::span<const std::int32_t> labels, double divisor, std::span<float> gradient,
                           std::span<float> metrics);

}  // namespace convoy::onednn::loops
