#pragma once

#include <span>

#include "base/bfloat16.hpp"
#include "graph/operator.hpp"
#include "kernels/onednn/layout.hpp"

/// Batch normalisation over activations as they lie in memory. Own loops rather than oneDNN's primitive: they
/// take in ReLU, its gradient and the sum of gradients that a residual network has at every branch, and each
/// result is the same whatever the number of threads. Channel by channel (as many as lie side by side), so
/// that the second walk over an activation finds it in a cache. T is the type in which activations are
/// stored, float or Bfloat16; statistics, parameters and their gradients are float.
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
/// ReLU where the attributes say so; moves the moving statistics (with the unbiased variance). Padding
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

/// The mean and variance of all ranks' values from those of each rank's own: moments holds a row of means and
/// one of variances for each rank, counts how many values a channel has there. In the order of ranks.
void combine_moments(std::span<const std::int64_t> counts, std::span<const float> moments,
                     std::span<float> mean, std::span<float> variance);

struct MovingStatistics {
    std::span<float> mean, variance;
};
/// moving = momentum moving + (1 - momentum) of a batch of count values a channel; the variance that is kept
/// is the unbiased one.
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
    std::span<const T> addend;  ///< added to dx; empty where there is none
    std::span<T> dx;
    std::span<float> dgamma, dbeta;
    std::span<float> scratch;
};
/// dgamma and dbeta, and dx from them.
template <typename T>
void batch_norm_gradient(const ChannelOrder& order, const BatchNormAttributes& attributes,
                         const BatchNormBackward<T>& operands);
/// The first half: writes dgamma and dbeta of these values.
template <typename T>
void batch_norm_gradient_sums(const ChannelOrder& order, const BatchNormAttributes& attributes,
                              const BatchNormBackward<T>& operands);
/// The second half: writes dx, from sums that may be of more values than these, count of each channel.
template <typename T>
void batch_norm_input_gradient(const ChannelOrder& order, const BatchNormAttributes& attributes, double count,
                               const BatchNormBackward<T>& operands);

}  // namespace convoy::onednn::loops
