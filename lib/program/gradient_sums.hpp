#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spec/experiment_spec.hpp"

namespace convoy {

/// The gradients of one step, added up as integers: as multiples of gradient_sum_unit in 64 bits. Integers
/// have the same sum in whatever order they are added, which floating-point numbers have not: micro-batches
/// and nodes may be cut and ordered in any way without a bit of the result changing.
///
/// A contribution is rounded to the nearest multiple of the unit (ties to even): its error is at
/// most 5.7e-14, less than float32 itself has for gradients above 1e-6. Sums of a step's most_micro_batches
/// cannot overflow.
class GradientSums {
  public:
    /// Zeros, for buckets of so many elements each.
    explicit GradientSums(std::span<const std::int64_t> bucket_elements);

    /// Adds a bucket's gradients. Throws DataError where one of them is no finite number, or 1024 or larger:
    /// then training has diverged.
    void add(std::size_t bucket, std::span<const float> gradients);
    /// Writes the sums as the nearest floats, and sets them to zero for the next step.
    void take(std::size_t bucket, std::span<float> gradients);
    /// A bucket's sums, for a collective to add up over all ranks.
    [[nodiscard]] std::span<std::int64_t> values(std::size_t bucket) { return sums_.at(bucket); }

  private:
    std::vector<std::vector<std::int64_t>> sums_;  // by bucket
};

/// What sums count in.
inline constexpr float gradient_sum_unit = 0x1p-43F;
/// A contribution must be smaller.
inline constexpr float gradient_limit = 0x1p10F;
static_assert(static_cast<double>(gradient_limit) / static_cast<double>(gradient_sum_unit) *
                      static_cast<double>(most_micro_batches) <=
                  0x1p63,
              "sums of the largest gradients fit into 64 bits");

}  // namespace convoy
