#include "program/gradient_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/cpu_versions.hpp"
#include "base/error.hpp"

namespace convoy {
namespace {

bool fits(float gradient) {
    return std::abs(gradient) < gradient_limit;  // false for NaN
}

/// Adds the gradients that fit. Returns whether all do.
bool add_to(std::span<std::int64_t> sums, std::span<const float> gradients) {
    constexpr float units_in_one = 1.0F / gradient_sum_unit;
    std::uint32_t broken = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const auto gradient = gradients[i];
        broken |= static_cast<std::uint32_t>(!fits(gradient));
        // Scaling by a power of two is exact; a float of 2^23 or more is an integer already.
        sums[i] += static_cast<std::int64_t>(std::nearbyint(fits(gradient) ? gradient * units_in_one : 0.0F));
    }
    return broken == 0;
}

}  // namespace

GradientSums::GradientSums(std::span<const std::int64_t> bucket_elements) {
    for (const auto elements : bucket_elements) sums_.emplace_back(static_cast<std::size_t>(elements));
}

void GradientSums::add(std::size_t bucket, std::span<const float> gradients) {
    auto& sums = sums_.at(bucket);
    if (gradients.size() != sums.size()) throw InternalError("gradients of another bucket");
    bool all_fit = false;
    in_cpu_version([&all_fit, into = std::span(sums), gradients] { all_fit = add_to(into, gradients); });
    if (all_fit) return;
    throw DataError(
        fmt::format("a gradient is {}, and exact sums ($.micro_batch_size) hold less than {}: did "
                    "training diverge?",
                    *std::ranges::find_if_not(gradients, fits), gradient_limit));
}

void GradientSums::take(std::size_t bucket, std::span<float> gradients) {
    auto& sums = sums_.at(bucket);
    if (gradients.size() != sums.size()) throw InternalError("gradient sums of another bucket");
    in_cpu_version([from = std::span(sums), gradients] {
        for (std::size_t i = 0; i < from.size(); ++i) {
            gradients[i] = static_cast<float>(from[i]) * gradient_sum_unit;
            from[i] = 0;
        }
    });
}

}  // namespace convoy
