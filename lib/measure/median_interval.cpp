#include "measure/median_interval.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <vector>

#include "measure/durations.hpp"

namespace convoy {

std::optional<double> MedianInterval::precision() const {
    if (median == 0.0) return std::nullopt;
    return (high - low) / 2.0 / std::abs(median);
}

std::optional<MedianInterval> median_interval(std::span<const double> values) {
    if (values.size() < least_values_of_interval) return std::nullopt;
    constexpr double share_outside = 0.025;  // on either side
    const boost::math::binomial below_median(static_cast<double>(values.size()), 0.5);
    // The number of values that may be left out at each end.
    std::size_t outside = 0;
    while (boost::math::cdf(below_median, static_cast<double>(outside)) <= share_outside) ++outside;
    std::vector<double> sorted(values.begin(), values.end());
    std::ranges::sort(sorted);
    return MedianInterval{.low = sorted[outside - 1],
                          .median = quantile(std::span<const double>(sorted), 0.5),
                          .high = sorted[sorted.size() - outside]};
}

}  // namespace convoy
