#include "measure/two_samples.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "measure/durations.hpp"

namespace convoy {
namespace {

constexpr std::size_t most_values = 200;
constexpr std::uint32_t resamples = 4000;
/// So many ways to share the values out are all looked at; of more, so many are drawn.
constexpr double most_ways = 200'000;
constexpr std::uint32_t drawn_ways = 20'000;
constexpr std::uint64_t seed = 1;

/// As many values as the sample has, drawn from it with replacement.
std::vector<double> resampled(std::span<const double> sample, const RandomStream& random,
                              std::uint32_t number) {
    std::vector<double> drawn(sample.size());
    for (std::uint32_t i = 0; i < drawn.size(); ++i)
        drawn[i] = sample[random.below(static_cast<std::uint32_t>(sample.size()), number, i)];
    return drawn;
}

/// The place of each value among all, from 1; equal values have the mean of their places.
std::vector<double> ranks_of(const std::vector<double>& values) {
    std::vector<double> ranks(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto less = std::ranges::count_if(values, [&](double other) { return other < values[i]; });
        const auto equal = std::ranges::count(values, values[i]);
        ranks[i] = static_cast<double>(less) + (static_cast<double>(equal) + 1) / 2;
    }
    return ranks;
}

/// The number of ways to take `taken` things of `all`.
double ways(std::size_t all, std::size_t taken) {
    double count = 1.0;
    for (std::size_t i = 0; i < taken; ++i)
        count *= static_cast<double>(all - i) / static_cast<double>(taken - i);
    return std::round(count);
}

/// How far the ranks of one sample are from half of all: 0 if both samples have the same share.
class RankSum {
  public:
    RankSum(std::vector<double> ranks, std::size_t of_a) : ranks_(std::move(ranks)) {
        double sum = 0.0;
        for (const auto rank : ranks_) sum += rank;
        expected_ = sum * static_cast<double>(of_a) / static_cast<double>(ranks_.size());
    }
    /// is_a: for each value, whether it is of a.
    [[nodiscard]] double operator()(const std::vector<bool>& is_a) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < ranks_.size(); ++i)
            if (is_a[i]) sum += ranks_[i];
        return std::abs(sum - expected_);
    }

  private:
    std::vector<double> ranks_;
    double expected_ = 0.0;
};

/// The share of the ways to share the values out in which the samples lie as far apart as they do.
double chance_of(std::span<const double> a, std::span<const double> b) {
    std::vector<double> all(a.begin(), a.end());
    all.insert(all.end(), b.begin(), b.end());
    const RankSum distance(ranks_of(all), a.size());
    std::vector<bool> is_a(all.size(), false);
    std::fill_n(is_a.begin(), a.size(), true);
    constexpr double rounding = 1e-9;
    const auto found = distance(is_a) - rounding;
    std::uint32_t as_far = 0;
    std::uint32_t looked_at = 0;
    if (ways(all.size(), a.size()) <= most_ways) {
        do {
            as_far += distance(is_a) >= found ? 1 : 0;
            ++looked_at;
        } while (std::prev_permutation(is_a.begin(), is_a.end()));
        return static_cast<double>(as_far) / looked_at;
    }
    const RandomStream random(seed, RandomPurpose::resample, 1);
    for (; looked_at < drawn_ways; ++looked_at) {
        for (auto left = static_cast<std::uint32_t>(is_a.size()); left > 1; --left) {
            const auto other = random.below(left, looked_at, left);
            const bool last = is_a[left - 1];
            is_a[left - 1] = is_a[other];
            is_a[other] = last;
        }
        as_far += distance(is_a) >= found ? 1 : 0;
    }
    return (as_far + 1.0) / (looked_at + 1.0);
}

std::span<const double> counted(std::span<const double> sample) {
    return sample.first(std::min(sample.size(), most_values));
}

}  // namespace

TwoSamples two_samples(std::span<const double> a, std::span<const double> b) {
    a = counted(a);
    b = counted(b);
    const RandomStream random(seed, RandomPurpose::resample);
    std::vector<double> ratios;
    for (std::uint32_t i = 0; i < resamples; ++i) {
        const auto below = median(resampled(b, random, 2 * i + 1));
        if (below != 0.0) ratios.push_back(median(resampled(a, random, 2 * i)) / below);
    }
    TwoSamples found{.ratio = {}, .low = {}, .high = {}, .p = chance_of(a, b)};
    const auto below = median({b.begin(), b.end()});
    if (below != 0.0) found.ratio = median({a.begin(), a.end()}) / below;
    if (ratios.size() < resamples) return found;
    std::ranges::sort(ratios);
    const std::span<const double> sorted(ratios);
    found.low = quantile(sorted, 0.025);
    found.high = quantile(sorted, 0.975);
    return found;
}

double least_p(std::size_t a, std::size_t b) {
    return 2.0 / ways(a + b, a);
}

std::string_view shown_difference(const TwoSamples& found, std::size_t a, std::size_t b) {
    if (least_p(a, b) > most_p_of_difference) return "too few runs";
    const bool holds_one = found.low && *found.low <= 1.0 && *found.high >= 1.0;
    return found.p <= most_p_of_difference && !holds_one ? "different" : "no difference seen";
}

}  // namespace convoy
