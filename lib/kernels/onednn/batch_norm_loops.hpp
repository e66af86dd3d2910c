#pragma once

#include <span>

#include "base/bfloat16.hpp"
#include "graph/operator.hpp"
#include "kernels/onednn/layout.hpp"

/// Batch normalisation over activations in their memory layout. These loops replace oneDNN's primitive: they
/// fuse ReLU, its gradient, and the sum of gradients at each branch of a residual network, and their results
/// do not depend on the number of threads. They work channel by channel (or by the channels that lie side by
/// side), so the second pass over an activation finds it in a cache. T is the stored type of activations,
/// float or Bfloat16. Statistics, parameters and their gradients are float.
namespace convoy::onednn::loops {

/// Floats of scratch memory that the loops below need.
std::int64_t batch_norm_scratch(const ChannelOrder& order);

template <typename T>
struct BatchNormForward {
    std::span<const T> x;
    std::span<const float> gamma, beta;
    std::span<T> y;
    std::span<float> mean, variance, moving_mean, moving_variance;
    std::span<float> scratch;
};
/// mean and (biased) variance of x by channel; y = gamma (x - mean) / sqrt(variance + epsilon) + beta, with
/// ReLU if the attributes say so; updates the moving statistics (with the unbiased variance). Padding
/// channels of y become 0.
template <typename T>
void batch_norm(const ChannelOrder& order, const BatchNormAttributes& attributes,
                const BatchNormForward<T>& operands);

template <typename T>
struct BatchNormMoments {
    std::span<const T> x;
    std::span<float> mean, variance;
    std::span<float> scratch;
};
/// mean and (biased) variance of x by channel.
template <typename T>
void batch_norm_moments(const ChannelOrder& order, const BatchNormMoments<T>& operands);

/// The mean and variance of all ranks' values, from the mean and variance of each rank. moments: one row of
/// means and one row of variances for each rank. counts: the number of values of a channel on each rank. Sums
/// are in the order of ranks.
void combine_moments(std::span<const std::int64_t> counts, std::span<const float> moments,
                     std::span<float> mean, std::span<float> variance);

struct MovingStatistics {
    std::span<float> mean, variance;
};
/// moving = momentum moving + (1 - momentum) of a batch with `count` values in each channel. The moving
/// variance is unbiased.
void move_statistics(const BatchNormAttributes& attributes, double count, std::span<const float> mean,
                     std::span<const float> variance, const MovingStatistics& moving);

template <typename T>
struct BatchNormInference {
    std::span<const T> x;
    std::span<const float> gamma, beta, mean, variance;
    std::span<T> y;
};
template <typename T>
void batch_norm_inference(const ChannelOrder& order, const BatchNormAttributes& attributes,
                          const BatchNormInference<T>& operands);

template <typename T>
struct BatchNormBackward {
    std::span<const T> x, dy;
    std::span<const float> gamma, beta, mean, variance;
    std::span<const T> addend;  ///< added to dx; may be empty
    std::span<T> dx;
    std::span<float> dgamma, dbeta;
    std::span<float> scratch;
};
/// dgamma and dbeta, and dx from them.
template <typename T>
void batch_norm_gradient(const ChannelOrder& order, const BatchNormAttributes& attributes,
                         const BatchNormBackward<T>& operands);
/// The first half of the gradient: writes dgamma and dbeta of these values.
template <typename T>
void batch_norm_gradient_sums(const ChannelOrder& order, const BatchNormAttributes& attributes,
                              const BatchNormBackward<T>& operands);
/// The second half of the gradient: writes dx from dgamma and dbeta, which may be sums over more values than
/// these. count: the number of these summed values in each channel.
template <typename T>
void batch_norm_input_gradient(const ChannelOrder& order, const BatchNormAttributes& attributes, double count,
                               const BatchNormBackward<T>& operands);

}  // namespace convoy::onednn::loops
