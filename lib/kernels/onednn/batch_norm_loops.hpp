#pragma once

#include <span>

#include "graph/operator.hpp"
#include "kernels/onednn/layout.hpp"

/// Batch normalisation over activations as they lie in memory. Own loops rather than oneDNN's primitive: they
/// take in ReLU, its gradient and the sum of gradients that a residual network has at every branch, and each
/// result is the same whatever the number of threads. Channel by channel (as many as lie side by side), so
/// that the second walk over an activation finds it in a cache.
namespace convoy::onednn::loops {

/// Floats of scratch memory that the loops below need.
std::int64_t batch_norm_scratch(const ChannelOrder& order);

struct BatchNormForward {
    std::span<const float> x, gamma, beta;
    std::span<float> y, mean, variance, moving_mean, moving_variance;
    std::span<float> scratch;
};
/// mean and (biased) variance of x by channel; y = gamma (x - mean) / sqrt(variance + epsilon) + beta, with
/// ReLU where the attributes say so; moves the moving statistics (with the unbiased variance). Padding
/// channels of y become 0.
void batch_norm(const ChannelOrder& order, const BatchNormAttributes& attributes,
                const BatchNormForward& operands);

struct BatchNormInference {
    std::span<const float> x, gamma, beta, mean, variance;
    std::span<float> y;
};
void batch_norm_inference(const ChannelOrder& order, const BatchNormAttributes& attributes,
                          const BatchNormInference& operands);

struct BatchNormBackward {
    std::span<const float> x, dy, gamma, beta, mean, variance;
    std::span<const float> addend;  ///< added to dx; empty where there is none
    std::span<float> dx, dgamma, dbeta;
    std::span<float> scratch;
};
void batch_norm_gradient(const ChannelOrder& order, const BatchNormAttributes& attributes,
                         const BatchNormBackward& operands);

}  // namespace convoy::onednn::loops
