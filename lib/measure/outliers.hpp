#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace convoy {

/// A value is an outlier if it is further from the median than so many median absolute deviations: ten
/// standard deviations, if the values are normally distributed. The same bound as hyperfine's; the score is
/// that of Iglewicz and Hoaglin, "How to Detect and Handle Outliers" (1993).
inline constexpr double most_deviations = 14.826;

/// In fewer values than these, none is called an outlier.
inline constexpr std::size_t least_values_with_outliers = 5;

/// The positions of the outliers, ascending. Empty if more than half of the values are equal: the deviation
/// is 0 then.
std::vector<std::size_t> outliers(std::span<const double> values);

}  // namespace convoy
