#include "program/gradient_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace convoy {

GradientSums::GradientSums(std::span<const std::int64_t> bucket_elements) {
    for (const auto elements : bucket_elements) sums_.emplace_back(static_cast<std::size_t>(elements));
}

void GradientSums::add(std::size_t bucket, std::span<const float> gradients) {
    constexpr float units_in_one = 1.0F / gradient_sum_unit;
    auto& sums = sums_.at(bucket);
    if (gradients.size() != sums.size()) throw InternalError("gradients of another bucket");
    const auto fits = [](float gradient) { return std::abs(gradient) < gradient_limit; };  // false for NaN
    std::uint32_t broken = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const auto gradient = gradients[i];
        broken |= static_cast<std::uint32_t>(!fits(gradient));
        // Scaling by a power of two is exact; a float of 2^23 or more is an integer already.
        sums[i] += static_cast<std::int64_t>(std::nearbyint(fits(gradient) ? gradient * units_in_one : 0.0F));
    }
    if (broken == 0) return;
    throw DataError(
        fmt::format("a gradient is {}, and exact sums ($.micro_batch_size) hold less than {}: did "
                    "training diverge?",
                    *std::ranges::find_if_not(gradients, fits), gradient_limit));
}

void GradientSums::take(std::size_t bucket, std::span<float> gradients) {
    auto& sums = sums_.at(bucket);
    if (gradients.size() != sums.size()) throw InternalError("gradient sums of another bucket");
    for (std::size_t i = 0; i < sums.size(); ++i) {
        gradients[i] = static_cast<float>(sums[i]) * gradient_sum_unit;
        sums[i] = 0;
    }
}

}  // namespace convoy
