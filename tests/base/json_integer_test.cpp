#include "base/json_integer.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>

using namespace convoy;
using nlohmann::json;

TEST_CASE("an integer of a JSON value is read where the type holds it") {
    CHECK(integer_of<std::int64_t>(json::parse("-3")) == -3);
    CHECK(integer_of<std::int64_t>(json::parse("9223372036854775807")) ==
          std::numeric_limits<std::int64_t>::max());
    CHECK(integer_of<std::uint64_t>(json::parse("18446744073709551615")) ==
          std::numeric_limits<std::uint64_t>::max());
    CHECK(integer_of<std::uint8_t>(json::parse("255")) == 255);
}

TEST_CASE("a value that is no integer of the type is refused, not cut off") {
    CHECK_THROWS_AS(integer_of<std::int64_t>(json::parse("7e64")), json::type_error);
    CHECK_THROWS_AS(integer_of<std::int64_t>(json::parse("2.0")), json::type_error);
    CHECK_THROWS_AS(integer_of<std::int64_t>(json::parse("\"2\"")), json::type_error);
    CHECK_THROWS_AS(integer_of<std::int64_t>(json::parse("true")), json::type_error);
    CHECK_THROWS_AS(integer_of<std::int64_t>(json()), json::type_error);
    CHECK_THROWS_AS(integer_of<std::int64_t>(json::parse("9223372036854775808")), json::type_error);
    CHECK_THROWS_AS(integer_of<std::uint64_t>(json::parse("-1")), json::type_error);
    CHECK_THROWS_AS(integer_of<std::uint8_t>(json::parse("256")), json::type_error);
}

TEST_CASE("a count is an integer of at least 0, or there is none") {
    CHECK(count_or_none(json::parse("0")) == 0);
    CHECK(count_or_none(json::parse("12")) == 12);
    CHECK_FALSE(count_or_none(json::parse("-1")));
    CHECK_FALSE(count_or_none(json::parse("18446744073709551615")));
    CHECK_FALSE(count_or_none(json::parse("1e64")));
    CHECK_FALSE(count_or_none(json()));
}
