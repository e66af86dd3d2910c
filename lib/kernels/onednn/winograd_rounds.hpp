#pragma once

#include <cstdint>
#include <span>

#include "kernels/onednn/winograd_loops.hpp"

/// Whole convolutions by Winograd's algorithm: rounds of tiles and channels whose transforms fit the caches.
namespace convoy::onednn::winograd {

/// The convolution that takes the gradient of a result to that of its source: with kernels turned around,
/// whose channels change roles.
Geometry backward(const Geometry& geometry);

/// The floats of scratch that the operators below take: transforms of sources, and of kernels and results of
/// one round.
std::int64_t scratch_floats(const Geometry& geometry, std::int64_t examples);

/// A convolution from one map to another, with its operands. Layouts are those of winograd_loops.hpp.
struct Convolution {
    Geometry geometry;
    std::int64_t examples = 0;
    bool turned = false;  ///< as in transform_filter
    std::span<const float> source, weight;
    Behind behind;
    std::span<float> result, scratch;

    void run() const;
};

/// The gradient of the kernels of a convolution, with its operands.
struct FilterGradient {
    Geometry geometry;
    std::int64_t examples = 0;
    std::span<const float> source, result_gradient;
    std::span<float> gradient, scratch;

    void run() const;
};

}  // namespace convoy::onednn::winograd
