#include "measure/two_samples.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

using namespace convoy;

namespace {

std::string shown(const std::vector<double>& a, const std::vector<double>& b) {
    return std::string(shown_difference(two_samples(a, b), a.size(), b.size()));
}

/// Values around 100 that differ by so many per cent.
std::vector<double> drawn(std::mt19937& random, double mean, double deviation_pct, std::size_t count) {
    std::normal_distribution<double> noise(mean, mean * deviation_pct / 100);
    std::vector<double> values(count);
    for (auto& value : values) value = noise(random);
    return values;
}

}  // namespace

TEST_CASE("the ratio is of the medians, and p is that of tables of the rank-sum test") {
    const std::vector<double> a{1, 2, 3, 4, 5};
    const std::vector<double> b{6, 7, 8, 9, 10};
    const auto apart = two_samples(a, b);
    CHECK(apart.ratio.value() == Approx(3.0 / 8.0));
    CHECK(apart.p == Approx(2.0 / 252.0));
    CHECK(least_p(5, 5) == Approx(2.0 / 252.0));
    CHECK(apart.low.value() <= *apart.ratio);
    CHECK(apart.high.value() >= *apart.ratio);
    CHECK(*apart.high < 1.0);
    // scipy.stats.mannwhitneyu(a, c, method="exact"): U = 3, p = 0.0556 (14 of 252).
    CHECK(two_samples(a, std::vector<double>{4.5, 3.5, 7, 8, 9}).p == Approx(14.0 / 252.0));
    CHECK(two_samples(a, a).p == 1.0);
    CHECK(two_samples(a, a).ratio == 1.0);
}

TEST_CASE("equal values share their places") {
    // All twenty ways to share 1 1 2 | 2 3 3 out: in four of them the rank sums are as far apart.
    CHECK(two_samples(std::vector<double>{1, 1, 2}, std::vector<double>{2, 3, 3}).p == Approx(0.2));
}

TEST_CASE("zeros are values, and have no ratio") {
    const std::vector<double> none(5, 0.0);
    CHECK_FALSE(two_samples(std::vector<double>{1, 2, 3, 4, 5}, none).ratio);
    CHECK(shown({1, 2, 3, 4, 5}, none) == "different");
    CHECK(shown(none, none) == "no difference seen");
    CHECK(two_samples(none, std::vector<double>{1, 2, 3, 4, 5}).ratio == 0.0);
}

TEST_CASE("samples too small to tell anything are called so") {
    CHECK(shown({1}, {2}) == "too few runs");
    CHECK(shown({1, 1, 1}, {2, 2, 2}) == "too few runs");
    CHECK(shown({1, 1.1, 1.2, 1.3}, {2, 2.1, 2.2, 2.3, 2.4}) == "too few runs");
    CHECK(shown({1, 1.1, 1.2, 1.3, 1.4}, {2, 2.1, 2.2, 2.3, 2.4}) == "different");
}

TEST_CASE("five runs show a difference only where they lie wholly apart") {
    CHECK(shown({1, 1.1, 1.2, 1.3, 2.05}, {2, 2.1, 2.2, 2.3, 2.4}) == "no difference seen");
}

TEST_CASE("the same figure is seldom called different, and one of five per cent is seen", "[large]") {
    std::mt19937 random(7);
    int false_alarms = 0;
    int seen = 0;
    constexpr int tries = 200;
    for (int i = 0; i < tries; ++i) {
        const auto a = drawn(random, 100, 2, 5);
        if (shown(a, drawn(random, 100, 2, 5)) == "different") ++false_alarms;
        if (shown(a, drawn(random, 105, 1, 5)) == "different") ++seen;
    }
    CHECK(false_alarms <= tries / 20);
    CHECK(seen >= tries * 8 / 10);
}

TEST_CASE("large samples are compared by ways that are drawn") {
    std::mt19937 random(8);
    const auto a = drawn(random, 100, 2, 60);
    CHECK(shown(a, drawn(random, 100, 2, 60)) == "no difference seen");
    CHECK(shown(a, drawn(random, 103, 2, 60)) == "different");
    CHECK(two_samples(a, drawn(random, 103, 2, 60)).p < 0.001);
}
