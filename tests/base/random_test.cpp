#include "base/random.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <vector>

using namespace convoy;

TEST_CASE("philox2x32 gives the known answers of its authors' Random123 (kat_vectors)") {
    using Pair = std::array<std::uint32_t, 2>;
    CHECK(philox2x32({0, 0}, 0) == Pair{0xff1dae59U, 0x6cd10df2U});
    CHECK(philox2x32({0xffffffffU, 0xffffffffU}, 0xffffffffU) == Pair{0x2c3f628bU, 0xab4fd7adU});
    CHECK(philox2x32({0x243f6a88U, 0x85a308d3U}, 0x13198a2eU) == Pair{0xdd7ce038U, 0xf62a4c12U});
}

TEST_CASE("a stream is the generator under its key") {
    const RandomStream stream(7, RandomPurpose::dropout, 3, 2);
    CHECK(stream.bits(5, 11) == philox2x32({11, 5}, stream.key())[0]);
    CHECK(stream.uniform(5, 11) == (stream.bits(5, 11) >> 8U) / 16777216.0);
    static_assert(RandomStream(1, RandomPurpose::shuffle).bits(0, 0) ==
                  RandomStream(1, RandomPurpose::shuffle).bits(0, 0));
}

TEST_CASE("streams that differ in any of their names have different keys") {
    std::set<std::uint32_t> keys;
    std::size_t streams = 0;
    for (const std::uint64_t seed :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32U, ~std::uint64_t{0}}) {
        for (const auto purpose : {RandomPurpose::initial_weights, RandomPurpose::shuffle,
                                   RandomPurpose::dropout, RandomPurpose::synthetic_data}) {
            for (std::uint32_t layer = 0; layer < 8; ++layer) {
                for (std::uint32_t epoch = 0; epoch < 8; ++epoch, ++streams) {
                    keys.insert(RandomStream(seed, purpose, layer, epoch).key());
                }
            }
        }
    }
    CHECK(keys.size() == streams);
}

TEST_CASE("numbers of a stream are uniform between 0 and 1") {
    const RandomStream stream(1, RandomPurpose::dropout, 2);
    constexpr std::uint32_t examples = 64;
    constexpr std::uint32_t elements = 1024;
    constexpr double count = examples * elements;
    std::array<int, 64> histogram{};
    for (std::uint32_t example = 0; example < examples; ++example) {
        for (std::uint32_t element = 0; element < elements; ++element) {
            const double value = stream.uniform(example, element);
            REQUIRE(value >= 0.0);
            REQUIRE(value < 1.0);
            ++histogram.at(static_cast<std::size_t>(value * 64));
        }
    }
    double chi_square = 0.0;
    for (const int hits : histogram) chi_square += std::pow(hits - count / 64, 2) / (count / 64);
    CHECK(chi_square > 30.0);  // 63 degrees of freedom: 99.99% lie between
    CHECK(chi_square < 115.0);
    CHECK(0xffffffffU * 0x1.0p-32 < 1.0);
    CHECK((0xffffffffU >> 8U) * 0x1.0p-24 == 1.0 - 0x1.0p-24);
}

TEST_CASE("neighbouring streams, examples and elements are not correlated") {
    constexpr std::uint32_t count = 1U << 14U;
    const RandomStream base(1, RandomPurpose::dropout, 1, 1);
    const auto correlation = [&](auto other) {
        double sum = 0.0;
        for (std::uint32_t i = 0; i < count; ++i) sum += (base.uniform(0, i) - 0.5) * (other(i) - 0.5);
        return 12.0 * sum / std::sqrt(count);  // of unit variance where independent
    };
    const std::vector<RandomStream> others{
        RandomStream(2, RandomPurpose::dropout, 1, 1), RandomStream(1, RandomPurpose::shuffle, 1, 1),
        RandomStream(1, RandomPurpose::dropout, 2, 1), RandomStream(1, RandomPurpose::dropout, 1, 2)};
    for (const auto& other : others) {
        CHECK(std::abs(correlation([&](std::uint32_t i) { return other.uniform(0, i); })) < 4.5);
    }
    CHECK(std::abs(correlation([&](std::uint32_t i) { return base.uniform(1, i); })) < 4.5);
    CHECK(std::abs(correlation([&](std::uint32_t i) { return base.uniform(0, i + 1); })) < 4.5);
}

TEST_CASE("below() gives every integer under its bound about as often") {
    const RandomStream stream(3, RandomPurpose::shuffle);
    std::array<int, 10> hits{};
    for (std::uint32_t i = 0; i < 10000; ++i) ++hits.at(stream.below(10, i, 0));
    const auto [fewest, most] = std::ranges::minmax(hits);
    CHECK(fewest > 850);
    CHECK(most < 1150);
    CHECK(stream.below(1, 5, 5) == 0);
}
