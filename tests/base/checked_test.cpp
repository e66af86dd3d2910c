#include "base/checked.hpp"

#include <catch2/catch.hpp>
#include <limits>

using namespace convoy;

namespace {

constexpr auto most = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("checked numbers compute as integers do") {
    CHECK((Checked(3) + 4).value() == 7);
    CHECK((Checked(3) - 4).value() == -1);
    CHECK((2 * Checked(most / 2)).value() == most - 1);
    CHECK((Checked(most - 1) + 1).value() == most);
    Checked sum;
    sum += 5;
    sum *= 6;
    CHECK(sum == 30);
    CHECK(sum > 29);
    CHECK(Checked(most).unsigned_value() == static_cast<std::uint64_t>(most));
}

TEST_CASE("a number that does not fit 64 bits is an error in the data, and never another number") {
    CHECK_THROWS_AS(Checked(most) + 1, SizeError);
    CHECK_THROWS_AS(Checked(-2) - most, SizeError);
    CHECK_THROWS_AS(Checked(most / 2 + 1) * 2, SizeError);
    CHECK_THROWS_AS(Checked(std::int64_t{1} << 32) * (std::int64_t{1} << 32), DataError);
}
