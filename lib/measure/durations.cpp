#include "measure/durations.hpp"

#include <algorithm>
#include <cmath>

namespace convoy {

namespace {

template <typename Value>
double interpolated(std::span<const Value> sorted, double share) {
    const double rank = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(std::floor(rank));
    const auto above = std::min(below + 1, sorted.size() - 1);
    const double low = sorted[below];
    return low + (static_cast<double>(sorted[above]) - low) * (rank - static_cast<double>(below));
}

}  // namespace

double quantile(std::span<const float> sorted, double share) {
    return interpolated(sorted, share);
}
double quantile(std::span<const double> sorted, double share) {
    return interpolated(sorted, share);
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return quantile(std::span<const double>(values), 0.5);
}

DurationStatistics Durations::statistics() const {
    if (values_.empty()) return {};
    auto sorted = values_;
    std::sort(sorted.begin(), sorted.end());
    const std::span<const float> values(sorted);
    return {.calls = calls(),
            .total = total_,
            .mean = total_ / static_cast<double>(calls()),
            .p05 = quantile(values, 0.05),
            .p50 = quantile(values, 0.50),
            .p99 = quantile(values, 0.99)};
}

}  // namespace convoy
