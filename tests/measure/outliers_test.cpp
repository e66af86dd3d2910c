#include "measure/outliers.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace convoy;

namespace {

std::vector<std::size_t> found(const std::vector<double>& values) {
    return outliers(values);
}

}  // namespace

TEST_CASE("a value far from the others is an outlier") {
    // The median is 10, the median deviation 0.2: the bound is 2.97 from 10.
    CHECK(found({10.0, 9.8, 10.2, 12.9, 10.0}).empty());
    CHECK(found({10.0, 9.8, 10.2, 13.0, 10.0}) == std::vector<std::size_t>{3});
    CHECK(found({7.0, 9.8, 10.2, 10.0, 10.0, 13.1, 9.8, 10.2}) == std::vector<std::size_t>{0, 5});
}

TEST_CASE("few values, and values without a spread, have no outliers") {
    CHECK(found({}).empty());
    CHECK(found({10.0, 9.8, 10.2, 99.0}).empty());
    CHECK(found({1.0, 1.0, 1.0, 1.0, 9.0}).empty());
}
