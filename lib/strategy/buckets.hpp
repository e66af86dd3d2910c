#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "program/program.hpp"
#include "spec/experiment_spec.hpp"
#include "strategy/own_tensors.hpp"

namespace convoy {

constexpr std::int64_t bucket_element_bytes = 4;  // float32

/// Puts a tensor at the end of a bucket, aligned to a cache line and a vector register.
void append(Bucket& bucket, const Program& program, TensorId tensor);

/// Gives every gradient of a training program its place in a bucket, in the order in which the backward pass
/// finishes them. A bucket closes once it holds what strategy.bucketing says; a larger gradient stays whole.
/// Where parameters have residuals, a bucket of these for each bucket of gradients follows behind all of
/// them. Gradients among `own` get no place.
void plan_buckets(Program& program, const StrategySpec& strategy, const OwnTensors& own = {});

/// Whether gradients lie in the bucket; in the others are residuals, or what a step sums in its midst.
inline bool holds_gradients(const Bucket& bucket) {
    return !bucket.tensors.empty() && !bucket.residuals;
}

/// The storage of the bucket of residuals that stands beside a bucket of gradients. Throws InternalError if
/// there is none.
TensorId residuals_of(const Program& program, const Bucket& bucket);

/// The parameters of a program whose gradients lie in its buckets. It refers to the program, and is made once
/// all of these buckets are there.
class BucketParameters {
  public:
    explicit BucketParameters(const Program& program);

    /// The trained parameters of a bucket, in the order of the program's parameters.
    [[nodiscard]] std::span<const Parameter* const> of(const Bucket& bucket) const;
    /// The storage of each bucket by the name of each of its parameters.
    [[nodiscard]] std::map<std::string, TensorId> storage_by_name() const;

  private:
    const Program& program_;
    std::map<TensorId, std::vector<const Parameter*>> by_storage_;
};

}  // namespace convoy
