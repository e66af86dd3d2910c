#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spec/experiment_spec.hpp"

namespace convoy {

/// Sums the gradients of one step as 64-bit integers, in multiples of gradient_sum_unit. A sum of integers
/// does not depend on the order of the summands; a sum of floating-point numbers does. So the result has the
/// same bits for any number and order of micro-batches and nodes.
///
/// Each gradient is rounded to the nearest multiple of the unit (ties to even). The error of this rounding is
/// at most 5.7e-14, which is less than the error of float32 itself for gradients above 1e-6. The sums of
/// most_micro_batches micro-batches cannot overflow.
class GradientSums {
  public:
    /// Makes sums of zero. bucket_elements: the number of elements of each bucket.
    explicit GradientSums(std::span<const std::int64_t> bucket_elements);

    /// Adds the gradients of a bucket to its sums. Throws DataError if a gradient is not finite, or has a
    /// magnitude of gradient_limit or more: then training has diverged.
    void add(std::size_t bucket, std::span<const float> gradients);
    /// Writes the sums of a bucket into `gradients` as the nearest floats, and sets the sums to zero for the
    /// next step.
    void take(std::size_t bucket, std::span<float> gradients);
    /// The sums of a bucket. An exchange adds them up over all ranks, in place.
    [[nodiscard]] std::span<std::int64_t> values(std::size_t bucket) { return sums_.at(bucket); }

  private:
    std::vector<std::vector<std::int64_t>> sums_;  // by bucket
};

/// The sums are multiples of this unit.
inline constexpr float gradient_sum_unit = 0x1p-43F;
/// The magnitude of each added gradient must be less than this limit.
inline constexpr float gradient_limit = 0x1p10F;
static_assert(static_cast<double>(gradient_limit) / static_cast<double>(gradient_sum_unit) *
                      static_cast<double>(most_micro_batches) <=
                  0x1p63,
              "sums of the largest gradients fit into 64 bits");

}  // namespace convoy
