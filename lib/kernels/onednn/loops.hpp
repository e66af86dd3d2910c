#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bfloat16.hpp"
#include "kernels/onednn/layout.hpp"
#include "spec/optimizer_spec.hpp"

/// Element-wise loops for work for which oneDNN has no primitive, or a slower one. All loops run over tensors
/// in memory order, on all OpenMP threads. T is the stored type of an activation: float or Bfloat16.
namespace convoy::onednn::loops {

/// dx[i] = y[i] > 0 ? scale dy[i] : 0
template <typename T>
void relu_gradient(std::span<const T> y, std::span<const T> dy, float scale, std::span<T> dx);

/// out[i] = a[i] b[i]
template <typename T>
void multiply(std::span<const T> a, std::span<const T> b, std::span<T> out);

/// out[i] = a[i] + b[i]
template <typename T>
void add(std::span<const T> a, std::span<const T> b, std::span<T> out);

/// out[i] = factor in[i]; out may be in.
void scale(std::span<const float> in, float factor, std::span<float> out);

/// Clips each value to [-limit, limit]. NaN stays NaN.
void clamp(float limit, std::span<float> values);

/// The sum of all elements, and of their squares, with partial sums in double precision.
double sum(std::span<const float> values);
double sum_of_squares(std::span<const float> values);

/// out[i] += factor a[i]
void accumulate(std::span<const float> a, float factor, std::span<float> out);

/// out[i] += a[i]
template <typename T>
void accumulate(std::span<const T> a, std::span<T> out);

/// out[i] = in[i], rounded.
void round_to_bfloat16(std::span<const float> in, std::span<Bfloat16> out);

/// y = x + bias of its channel. Padding channels do not change.
template <typename T>
void bias_add(const ChannelOrder& order, std::span<const T> x, std::span<const float> bias, std::span<T> y);

/// dbias = sum of dy over examples and area.
template <typename T>
void bias_gradient(const ChannelOrder& order, std::span<const T> dy, std::span<float> dbias);

/// The index of the random number for each stored value of one example: its element index in C,H,W order.
std::vector<std::uint32_t> element_indices(const ChannelOrder& order);

/// Random numbers of one dropout layer in one step.
struct DropoutDraw {
    std::uint32_t key = 0;  ///< key of the RandomStream
    double rate = 0.0;
    std::span<const std::uint32_t> examples;  ///< by row
    std::span<const std::uint32_t> indices;   ///< element_indices
};

/// u[i]: uniform in [0, 1).
void random_uniform(const DropoutDraw& draw, std::span<float> u);

/// y = kept ? x / (1 - rate) : 0. mask: becomes kept ? 1 / (1 - rate) : 0; if it is empty, no mask is
/// written.
template <typename T>
void dropout(const DropoutDraw& draw, std::span<const T> x, std::span<T> y, std::span<T> mask);

/// One update of a parameter with any layout. spec/optimizer_spec.hpp has the formulas.
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

/// Softmax cross-entropy of logits N x classes. gradient: becomes (softmax - one-hot) / divisor; may be
/// empty. metrics: becomes {sum of losses, correct examples}. An example is correct if its label's logit is
/// the first of the largest.
void softmax_cross_entropy(std::int64_t classes, std::span<const float> logits,
                           std::span<const std::int32_t> labels, double divisor, std::span<float> gradient,
                           std::span<float> metrics);

}  // namespace convoy::onednn::loops
