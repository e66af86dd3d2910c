#include "data/drawn_split.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

using namespace convoy;

TEST_CASE("a drawn split uses each example at most once, each part in the dataset's order") {
    const SplitRequest request{.examples = 100, .train = 50, .validation = 10, .test = 20, .seed = 3};
    const auto split = draw_split(request);
    CHECK(split == draw_split(request));
    REQUIRE(split.train.size() == 60);
    REQUIRE(split.test.size() == 20);
    std::set<std::uint32_t> all(split.train.begin(), split.train.end());
    all.insert(split.test.begin(), split.test.end());
    CHECK(all.size() == 80);
    CHECK(*all.rbegin() < 100);
    CHECK(std::is_sorted(split.train.begin(), split.train.begin() + 50));
    CHECK(std::is_sorted(split.train.begin() + 50, split.train.end()));
    CHECK(std::is_sorted(split.test.begin(), split.test.end()));
    // Of 100 sorted by class a stretch would be one class; a draw is from everywhere.
    CHECK(split.test.front() < 25);
    CHECK(split.test.back() >= 75);
    CHECK(split.train[50] < 50);
}

TEST_CASE("what is tested on depends on the seed and on nothing else of a split") {
    const SplitRequest request{.examples = 40, .train = 30, .validation = 0, .test = 8, .seed = 3};
    const auto split = draw_split(request);
    auto other = request;
    other.train = 10;
    other.validation = 5;
    CHECK(draw_split(other).test == split.test);
    other.seed = 4;
    CHECK(draw_split(other).test != split.test);
}

TEST_CASE("a split of nothing is the dataset as it is") {
    const auto split = draw_split({.examples = 5, .train = 5, .validation = 0, .test = 0, .seed = 1});
    CHECK(split.train == std::vector<std::uint32_t>{0, 1, 2, 3, 4});
    CHECK(split.test.empty());
}
