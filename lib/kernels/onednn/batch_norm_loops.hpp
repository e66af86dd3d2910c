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
template <typename T>
void batch_norm_gradient(const ChannelOrder& order, const BatchNormAttributes& attributes,
                         const BatchNormBackward<T>& operands);

}  // namespace convoy::onednn::loops
