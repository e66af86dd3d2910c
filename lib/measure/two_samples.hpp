#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace convoy {

/// Two samples of one figure, side by side.
struct TwoSamples {
    std::optional<double> ratio;      ///< of the medians, a / b; absent if that of b is 0
    std::optional<double> low, high;  ///< the 95% interval of the ratio; absent where a median may be 0
    double p = 1.0;                   ///< of so large a difference by chance
};

/// The ratio of the medians of two samples, with an interval and a test. The interval is a percentile
/// bootstrap (Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7 (1979)) of
/// 4,000 resamples, drawn from a fixed seed. p is of the two-sided rank-sum test (Mann and Whitney, "On a
/// test of whether one of two random variables is stochastically larger than the other", Annals of
/// Mathematical Statistics 18 (1947)): the share of all ways to share the values out in which the samples lie
/// as far apart; of very many ways, 20,000 are drawn. Neither sample may be empty; of each the first 200
/// values count.
TwoSamples two_samples(std::span<const double> a, std::span<const double> b);

/// The least p that samples of these sizes can have.
double least_p(std::size_t a, std::size_t b);

/// A difference counts if chance alone would show it in fewer cases than this, and if the interval of the
/// ratio, where there is one, does not hold 1.
inline constexpr double most_p_of_difference = 0.01;

/// What two samples of these sizes show: "different", "no difference seen", or "too few runs" where not even
/// samples that lie wholly apart would count.
std::string_view shown_difference(const TwoSamples& found, std::size_t a, std::size_t b);

}  // namespace convoy
