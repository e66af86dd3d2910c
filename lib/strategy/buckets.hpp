#pragma once

#include <cstdint>

#include "program/program.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

constexpr std::int64_t bucket_element_bytes = 4;  // float32

/// Puts a tensor at the end of a bucket, aligned to a cache line and a vector register.
void append(Bucket& bucket, const Program& program, TensorId tensor);

/// Gives every gradient of a training program its place in a bucket, in the order in which the backward pass
/// finishes them. A bucket closes once it holds what strategy.bucketing says; a larger gradient stays whole.
/// Where parameters have residuals, a bucket of these for each bucket of gradients follows behind all of
/// them.
void plan_buckets(Program& program, const StrategySpec& strategy);

/// Whether gradients lie in the bucket; in the others are residuals, or what a step sums in its midst.
inline bool holds_gradients(const Bucket& bucket) {
    return !bucket.tensors.empty() && !bucket.residuals;
}

/// The storage of the bucket of residuals that stands beside a bucket of gradients. Throws InternalError if
/// there is none.
TensorId residuals_of(const Program& program, const Bucket& bucket);

}  // namespace convoy
