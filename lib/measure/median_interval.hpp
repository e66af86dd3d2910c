#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace convoy {

/// An interval that holds the median of the values' source in at least 95% of all samples.
struct MedianInterval {
    double low = 0.0, median = 0.0, high = 0.0;
    /// Half the interval's width as a share of the median; absent if the median is 0.
    [[nodiscard]] std::optional<double> precision() const;
};

/// The interval between two of the sorted values: distribution-free, from the binomial distribution of the
/// number of values below the median (Conover, "Practical Nonparametric Statistics", 3.2). Absent for fewer
/// than least_values_of_interval values: not even the least and the greatest of them reach 95%.
std::optional<MedianInterval> median_interval(std::span<const double> values);

inline constexpr std::size_t least_values_of_interval = 6;

}  // namespace convoy
