#include "data/parts.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <set>

#include "base/error.hpp"

using namespace convoy;

namespace {

using Examples = std::vector<std::uint32_t>;
using Sizes = std::vector<std::int64_t>;

/// So many examples of each of ten classes, mixed.
std::vector<std::int32_t> mixed_labels(std::int64_t of_each) {
    std::vector<std::int32_t> labels;
    for (std::int64_t i = 0; i < of_each; ++i)
        for (std::int32_t label = 0; label < 10; ++label) labels.push_back((label * 7 + 3) % 10);
    return labels;
}

PartsRequest request(ShardingSpec sharding, const Sizes& sizes,
                     const std::vector<std::int32_t>& labels = {}) {
    return {.sharding = sharding, .sizes = sizes, .seed = 7, .labels = labels};
}

/// The parts, after a check that each example is in one and that parts ascend.
std::vector<Examples> checked_parts(const PartsRequest& asked) {
    const auto all = parts_of_replicas(asked);
    std::vector<Examples> parts;
    auto begin = all.begin();
    for (const auto size : asked.sizes) {
        parts.emplace_back(begin, begin + size);
        CHECK(std::ranges::is_sorted(parts.back()));
        begin += size;
    }
    CHECK(begin == all.end());
    auto sorted = all;
    std::ranges::sort(sorted);
    Examples counted(all.size());
    std::iota(counted.begin(), counted.end(), 0U);
    CHECK(sorted == counted);
    return parts;
}

/// counts[replica][label]
std::vector<std::array<std::int64_t, 10>> histogram(const std::vector<Examples>& parts,
                                                    const std::vector<std::int32_t>& labels) {
    std::vector<std::array<std::int64_t, 10>> counts;
    for (const auto& part : parts) {
        counts.emplace_back();
        for (const auto example : part) ++counts.back().at(static_cast<std::size_t>(labels.at(example)));
    }
    return counts;
}

std::int64_t classes_in(const std::array<std::int64_t, 10>& counts) {
    return 10 - std::ranges::count(counts, 0);
}

/// How far the classes of the parts are from equal ones: the mean of the largest shares of a class.
double mean_largest_share(double alpha) {
    const auto labels = mixed_labels(1000);
    const Sizes sizes(20, 500);
    const auto parts =
        checked_parts(request({.scheme = ShardingScheme::dirichlet, .alpha = alpha}, sizes, labels));
    double sum = 0.0;
    for (const auto& counts : histogram(parts, labels))
        sum += static_cast<double>(std::ranges::max(counts)) / 500.0;
    return sum / 20.0;
}

}  // namespace

TEST_CASE("strided: replicas take every n-th example, and full ones are skipped") {
    const ShardingSpec strided{.scheme = ShardingScheme::strided};
    CHECK(checked_parts(request(strided, {3, 3, 3})) ==
          std::vector<Examples>{{0, 3, 6}, {1, 4, 7}, {2, 5, 8}});
    CHECK(checked_parts(request(strided, {1, 4, 2})) == std::vector<Examples>{{0}, {1, 3, 5, 6}, {2, 4}});
    CHECK(checked_parts(request(strided, {0, 2})) == std::vector<Examples>{{}, {0, 1}});
}

TEST_CASE("shuffled: parts are drawn once, by the seed") {
    const ShardingSpec shuffled{.scheme = ShardingScheme::shuffled};
    const Sizes sizes{50, 30, 20};
    auto asked = request(shuffled, sizes);
    const auto parts = checked_parts(asked);
    CHECK(parts == checked_parts(asked));
    Examples first(50);
    std::iota(first.begin(), first.end(), 0U);
    CHECK(parts[0] != first);
    // Of 50 drawn out of 100, about half are in the first half: the standard deviation is 2.5.
    CHECK(std::abs(std::ranges::count_if(parts[0], [](auto example) { return example < 50; }) - 25) < 12);
    asked.seed = 8;
    CHECK(checked_parts(asked) != parts);
}

TEST_CASE("by_label: each replica takes pieces of the sorted examples") {
    const auto labels = mixed_labels(20);
    ShardingSpec sharding{.scheme = ShardingScheme::by_label};
    const Sizes five(5, 40);
    // Ten pieces are the ten classes.
    const auto parts = checked_parts(request(sharding, five, labels));
    for (const auto& counts : histogram(parts, labels)) CHECK(classes_in(counts) == 2);
    sharding.shards_per_node = 1;
    const Sizes ten(10, 20);
    std::set<std::int32_t> seen;
    for (const auto& part : checked_parts(request(sharding, ten, labels))) {
        for (const auto example : part) CHECK(labels[example] == labels[part.front()]);
        seen.insert(labels[part.front()]);
    }
    CHECK(seen.size() == 10);
    // Unequal parts that no piece divides.
    sharding.shards_per_node = 3;
    for (const auto& counts : histogram(checked_parts(request(sharding, {101, 7, 92, 0}, labels)), labels))
        CHECK(classes_in(counts) <= 10);
    sharding.shards_per_node = 1000;
    for (const auto& counts : histogram(checked_parts(request(sharding, five, labels)), labels))
        CHECK(classes_in(counts) >= 6);
}

TEST_CASE("dirichlet: a small alpha gives one class, a great one the proportions of the dataset") {
    CHECK(mean_largest_share(1e5) < 0.16);  // 0.1, and some noise of 500 draws
    const auto one = mean_largest_share(1.0);
    CHECK(one > 0.35);
    CHECK(one < 0.95);
    // Of twenty replicas with one class each, some find it used up by others.
    CHECK(mean_largest_share(1e-3) > 0.7);
    CHECK(mean_largest_share(10.0) < one);
}

TEST_CASE("dirichlet: drawn proportions have the mean and the variance of their distribution") {
    // One class in four of the examples; parts are small beside the dataset, so classes are not used up.
    std::vector<std::int32_t> labels(40'000, 0);
    for (std::size_t i = 0; i < labels.size(); i += 4) labels[i] = 1;
    Sizes sizes(400, 40);
    sizes.push_back(40'000 - 400 * 40);
    const double alpha = 2.0;
    const auto parts =
        checked_parts(request({.scheme = ShardingScheme::dirichlet, .alpha = alpha}, sizes, labels));
    double sum = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < 400; ++i) {
        const auto ones = std::ranges::count_if(parts[i], [&](auto example) { return labels[example] == 1; });
        const auto share = static_cast<double>(ones) / 40.0;
        sum += share;
        squares += share * share;
    }
    const auto mean = sum / 400.0;
    // Beta-binomial: p (1 - p) / n * (n + alpha) / (1 + alpha), here 0.0656; the mean varies by 0.0128.
    CHECK(mean == Approx(0.25).margin(0.05));
    CHECK(squares / 400.0 - mean * mean == Approx(0.25 * 0.75 / 40.0 * 42.0 / 3.0).margin(0.02));
}

TEST_CASE("parts need a scheme that has them, and the labels that it reads") {
    const Sizes sizes{2, 2};
    CHECK_THROWS_AS(parts_of_replicas(request({.scheme = ShardingScheme::contiguous}, sizes)), InternalError);
    CHECK_THROWS_AS(parts_of_replicas(request({.scheme = ShardingScheme::by_label}, sizes)), InternalError);
    CHECK_THROWS_AS(parts_of_replicas(request({.scheme = ShardingScheme::dirichlet}, sizes, {1, 2, 3})),
                    InternalError);
}
