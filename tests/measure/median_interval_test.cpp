#include "measure/median_interval.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace convoy;

TEST_CASE("the interval of a median is between two of the values, by the binomial distribution") {
    // Ranks of the 95% interval: Conover, "Practical Nonparametric Statistics", table of the binomial
    // distribution; the same as of R's DescTools::MedianCI(method = "exact").
    const auto from = [](int count) {
        std::vector<double> values;
        for (int value = count; value >= 1; --value) values.push_back(value);
        return median_interval(values);
    };
    CHECK_FALSE(from(0));
    CHECK_FALSE(from(5));
    CHECK(from(6)->low == 1);
    CHECK(from(6)->high == 6);
    CHECK(from(8)->low == 1);
    CHECK(from(9)->low == 2);
    CHECK(from(9)->high == 8);
    CHECK(from(20)->low == 6);
    CHECK(from(20)->high == 15);
    CHECK(from(20)->median == 10.5);
    CHECK(from(30)->low == 10);
    CHECK(from(30)->high == 21);
}

TEST_CASE("the precision of a median is half its interval as a share of it") {
    CHECK(*MedianInterval{.low = 90, .median = 100, .high = 120}.precision() == Approx(0.15));
    CHECK(*MedianInterval{.low = -3, .median = -2, .high = -1}.precision() == Approx(0.5));
    CHECK_FALSE(MedianInterval{.low = -1, .median = 0, .high = 1}.precision());
}
