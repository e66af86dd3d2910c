#include "collective/top_k.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "spec/all_reduce_spec.hpp"

using namespace convoy;

namespace {

using Floats = std::vector<float>;
constexpr float float_infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

std::vector<SparseEntry> greatest(Floats& values, std::size_t count) {
    std::vector<SparseEntry> taken(count);
    take_greatest(values, taken);
    return taken;
}

std::vector<std::uint32_t> places(Floats values, std::size_t count) {
    std::vector<std::uint32_t> found;
    for (const auto& entry : greatest(values, count)) found.push_back(entry.index);
    return found;
}

/// By sorting all of them.
std::vector<std::uint32_t> sorted_places(const Floats& values, std::size_t count) {
    std::vector<std::uint32_t> order(values.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    std::ranges::stable_sort(order,
                             [&](auto a, auto b) { return std::abs(values[a]) > std::abs(values[b]); });
    order.resize(count);
    std::ranges::sort(order);
    return order;
}

}  // namespace

TEST_CASE("the greatest are moved out, in the order of their places") {
    Floats values{1.0F, -5.0F, 0.5F, 4.0F, -0.0F};
    CHECK(greatest(values, 3) == std::vector<SparseEntry>{{0, 1.0F}, {1, -5.0F}, {3, 4.0F}});
    CHECK(values == Floats{0.0F, 0.0F, 0.5F, 0.0F, 0.0F});
    CHECK(greatest(values, 0).empty());
    CHECK(places({}, 0).empty());
}

TEST_CASE("of equal magnitudes the first go, zeros too") {
    using Places = std::vector<std::uint32_t>;
    CHECK(places({2, -2, 2, -2, 3}, 3) == Places{0, 1, 4});
    CHECK(places({0, 0, 1, 0}, 3) == Places{0, 1, 2});
    CHECK(places(Floats(5000, -7.0F), 4) == Places{0, 1, 2, 3});
}

TEST_CASE("NaN goes before infinity, and infinity before all numbers") {
    using Places = std::vector<std::uint32_t>;
    const auto other_nan = std::bit_cast<float>(0xFFFFFFFFU);
    const Floats values{3e38F, -float_infinity, not_a_number, float_infinity, other_nan};
    CHECK(places(values, 1) == Places{2});
    CHECK(places(values, 2) == Places{2, 4});
    CHECK(places(values, 3) == Places{1, 2, 4});
    Floats copy = values;
    CHECK(std::isnan(greatest(copy, 2)[1].value));
    CHECK(copy[4] == 0.0F);
}

TEST_CASE("any number of any values is what sorting gives") {
    for (const std::size_t size : {1U, 2U, 100U, 4999U}) {
        Floats values(size), coarse(size), tiny(size);
        for (std::size_t i = 0; i < size; ++i) {
            const auto scrambled = static_cast<std::uint32_t>(i + 1) * 2'654'435'761U;
            values[i] = static_cast<float>(scrambled) / 0x1p31F - 1.0F;
            coarse[i] = static_cast<float>(scrambled >> 30U) - 1.0F;
            tiny[i] = values[i] * 0x1p-140F;
        }
        for (const auto count : {std::size_t{1}, size / 100, size / 2, size - 1, size}) {
            for (const auto& each : {values, coarse, tiny})
                REQUIRE(places(each, count) == sorted_places(each, count));
        }
    }
}

TEST_CASE("more than there are cannot be taken") {
    Floats values(3);
    CHECK_THROWS_AS(greatest(values, 4), InternalError);
}

TEST_CASE("a fraction is rounded to the nearest number, at least one of any") {
    CHECK(TopKSpec{0.01}.count_of(1000) == 10);
    CHECK(TopKSpec{0.01}.count_of(149) == 1);
    CHECK(TopKSpec{0.01}.count_of(150) == 2);
    CHECK(TopKSpec{1e-6}.count_of(5) == 1);
    CHECK(TopKSpec{0.5}.count_of(0) == 0);
    CHECK(TopKSpec{1.0}.count_of(12345) == 12345);
}

TEST_CASE("pieces are checked: places ascend, are no two alike, and lie within the vector") {
    std::vector<SparseEntry> entries{{0, 1.0F}, {9, 1.0F}, {3, 1.0F}, {4, 1.0F}};
    const GatheredPieces pieces{entries, 2, 10};
    const auto line = [&](ElementRange range) -> std::string {
        try {
            pieces.check(range, "node 7");
        } catch (const DataError& error) {
            return error.what();
        }
        return "";
    };
    CHECK(line({0, 4}).empty());
    entries[1].index = 10;
    CHECK(line({0, 2}) ==
          "node 7: sent place 10 as entry 1 of node 0's gradients, expected places that ascend and are below "
          "10");
    CHECK(line({2, 2}).empty());
    entries[1].index = 0;
    CHECK_THAT(line({0, 4}), Catch::Contains("place 0 as entry 1 of node 0's"));
    entries[1].index = 9;
    entries[3].index = 2;
    CHECK_THAT(line({0, 4}), Catch::Contains("place 2 as entry 1 of node 1's"));
}
