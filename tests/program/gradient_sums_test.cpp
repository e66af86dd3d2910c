#include "program/gradient_sums.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "base/error.hpp"

using namespace convoy;
using Floats = std::vector<float>;

namespace {

GradientSums one_bucket(std::int64_t elements) {
    return GradientSums(std::vector{elements});
}

/// Gradients of many magnitudes, whose sum in floating point depends on its order.
std::vector<Floats> contributions() {
    std::mt19937 random(1);
    std::normal_distribution<float> mantissa;
    std::uniform_real_distribution<float> exponent(-12.0F, 5.0F);
    std::vector<Floats> made(48, Floats(100));
    for (auto& each : made) {
        for (auto& value : each) value = mantissa(random) * std::exp2(exponent(random));
    }
    return made;
}

Floats sum_of(const std::vector<Floats>& parts) {
    auto sums = one_bucket(100);
    for (const auto& part : parts) sums.add(0, part);
    Floats result(100);
    sums.take(0, result);
    return result;
}

}  // namespace

TEST_CASE("gradient sums have the same bits in any order, where floats have not") {
    auto parts = contributions();
    const auto forwards = sum_of(parts);
    float float_forwards = 0.0F;
    for (const auto& part : parts) float_forwards += part[0];
    std::ranges::reverse(parts);
    CHECK(sum_of(parts) == forwards);
    float float_backwards = 0.0F;
    for (const auto& part : parts) float_backwards += part[0];
    CHECK(float_forwards != float_backwards);
}

TEST_CASE("gradient sums are the exact sums, rounded") {
    const auto parts = contributions();
    const auto found = sum_of(parts);
    for (std::size_t i = 0; i < found.size(); ++i) {
        double exact = 0.0;
        for (const auto& part : parts) exact += static_cast<double>(part[i]);
        INFO("element " << i << ": " << exact);
        const double rounding = std::abs(exact) * 0x1p-24 + 48 * 0x1p-44;
        CHECK(std::abs(static_cast<double>(found[i]) - exact) <= rounding);
    }
}

TEST_CASE("a contribution is rounded to the nearest unit, and the largest fit") {
    auto sums = one_bucket(4);
    const auto below = std::nextafter(gradient_limit, 0.0F);
    sums.add(0, Floats{0.4F * gradient_sum_unit, -0.6F * gradient_sum_unit, below, -below});
    Floats result(4);
    sums.take(0, result);
    CHECK(result == Floats{0.0F, -gradient_sum_unit, below, -below});

    for (std::int64_t i = 0; i < most_micro_batches; ++i) sums.add(0, Floats{below, -below, 0.0F, 1.0F});
    sums.take(0, result);
    const auto most = static_cast<float>(most_micro_batches);
    CHECK(result == Floats{below * most, -below * most, 0.0F, most});
}

TEST_CASE("gradient sums begin at zero again, bucket by bucket") {
    GradientSums sums(std::vector<std::int64_t>{1, 2});
    sums.add(0, Floats{1.0F});
    sums.add(1, Floats{2.0F, 3.0F});
    Floats first(1);
    Floats second(2);
    sums.take(0, first);
    sums.take(0, first);
    sums.take(1, second);
    CHECK(first == Floats{0.0F});
    CHECK(second == Floats{2.0F, 3.0F});
    CHECK_THROWS_AS(sums.take(0, second), InternalError);
    CHECK_THROWS_AS(sums.add(0, second), InternalError);
}

TEST_CASE("a gradient that is no number, or too large, is a diverged training") {
    for (const auto broken :
         {std::numeric_limits<float>::quiet_NaN(), gradient_limit, -std::numeric_limits<float>::infinity()}) {
        auto sums = one_bucket(3);
        CHECK_THROWS_AS(sums.add(0, Floats{0.0F, broken, 0.0F}), DataError);
    }
}
