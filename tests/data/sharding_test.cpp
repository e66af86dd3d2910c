#include "data/sharding.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>

#include "base/error.hpp"

using namespace convoy;

namespace {

ShardingRequest request(ShardingScheme scheme, std::int64_t examples, std::int64_t batch,
                        std::int64_t world) {
    return {{scheme}, examples, batch, one_replica_each(world), true, 7, 1};
}

/// All shares of one batch, rank after rank.
std::vector<std::uint32_t> whole_batch(const EpochPlan& plan, std::uint32_t epoch, std::int64_t step) {
    std::vector<std::uint32_t> all;
    for (std::int64_t rank = 0; rank < plan.ranks(); ++rank) {
        const auto share = plan.share(rank, epoch, step);
        CHECK(share.global_examples == plan.batch_examples(step));
        CHECK(static_cast<std::int64_t>(share.examples.size()) == plan.share_size(rank, step));
        all.insert(all.end(), share.examples.begin(), share.examples.end());
    }
    return all;
}

std::vector<std::uint32_t> counted(std::int64_t examples) {
    std::vector<std::uint32_t> all(static_cast<std::size_t>(examples));
    std::iota(all.begin(), all.end(), 0U);
    return all;
}

}  // namespace

TEST_CASE("no share begins within a micro-batch, and micro-batches are the same for each number of nodes") {
    for (const auto [examples, batch, unit] :
         {std::array{900, 32, 8}, {101, 25, 4}, {30, 12, 5}, {9, 4, 7}}) {
        for (const std::int64_t world : {1, 2, 3, 5, 8}) {
            CAPTURE(examples, batch, unit, world);
            auto asked = request(ShardingScheme::global_batch, examples, batch, world);
            asked.unit = unit;
            const EpochPlan plan(asked);
            const EpochPlan alone(request(ShardingScheme::global_batch, examples, batch, 1));
            for (std::int64_t step = 0; step < plan.steps_per_epoch(); ++step) {
                CHECK(whole_batch(plan, 1, step) == whole_batch(alone, 1, step));
                std::int64_t before = 0;
                for (std::int64_t rank = 0; rank < world; ++rank) {
                    const auto share = plan.share_size(rank, step);
                    CHECK((share == 0 || before % unit == 0));
                    CHECK(share <= (plan.batch_examples(step) / unit / world + 1) * unit);
                    before += share;
                }
            }
        }
    }
}

TEST_CASE("every example is used exactly once in an epoch, whatever divides what") {
    for (const auto scheme : {ShardingScheme::global_batch, ShardingScheme::contiguous,
                              ShardingScheme::strided, ShardingScheme::shuffled}) {
        for (const std::int64_t examples : {1, 7, 24, 25, 97, 100}) {
            for (const std::int64_t batch : {1, 3, 8, 24, 200}) {
                for (const std::int64_t world : {1, 2, 3, 5, 8}) {
                    CAPTURE(examples, batch, world);
                    const EpochPlan plan(request(scheme, examples, batch, world));
                    CHECK(plan.steps_per_epoch() == (examples + batch - 1) / batch);
                    std::vector<std::uint32_t> used;
                    for (std::int64_t step = 0; step < plan.steps_per_epoch(); ++step) {
                        const auto part = whole_batch(plan, 0, step);
                        CHECK(static_cast<std::int64_t>(part.size()) ==
                              std::min(batch, examples - step * batch));
                        used.insert(used.end(), part.begin(), part.end());
                    }
                    std::sort(used.begin(), used.end());
                    CHECK(used == counted(examples));
                }
            }
        }
    }
}

TEST_CASE("global_batch: the batches are those of one node, whatever the number of nodes") {
    const EpochPlan one(request(ShardingScheme::global_batch, 103, 10, 1));
    for (const std::int64_t world : {2, 3, 4, 7, 12}) {
        const EpochPlan many(request(ShardingScheme::global_batch, 103, 10, world));
        for (const std::uint32_t epoch : {0U, 1U, 5U}) {
            for (std::int64_t step = 0; step < 11; ++step) {
                CHECK(whole_batch(many, epoch, step) == one.share(0, epoch, step).examples);
            }
        }
    }
}

TEST_CASE("shares differ by at most one and the first nodes take more") {
    const EpochPlan plan(request(ShardingScheme::global_batch, 102, 10, 3));
    CHECK(plan.splits() == std::vector<std::vector<std::int64_t>>{{4, 3, 3}, {1, 1, 0}});
    CHECK(plan.share(2, 0, 10).examples.empty());
    const EpochPlan even(request(ShardingScheme::contiguous, 100, 10, 2));
    CHECK(even.splits() == std::vector<std::vector<std::int64_t>>{{5, 5}});
    const EpochPlan small(request(ShardingScheme::global_batch, 5, 8, 2));
    CHECK(small.splits() == std::vector<std::vector<std::int64_t>>{{3, 2}});
}

TEST_CASE("units are divided in proportion to weights, and their sum is exact") {
    using Counts = std::vector<std::int64_t>;
    CHECK(divide_units(10, std::array{1.0, 1.0, 0.5}) == Counts{4, 4, 2});
    CHECK(divide_units(7, std::array{1.0, 1.0, 0.5}) == Counts{3, 3, 1});
    CHECK(divide_units(10, std::array{1.0, 1.0, 1.0}) == Counts{4, 3, 3});
    CHECK(divide_units(100, std::array{1e6, 1.0}) == Counts{99, 1});  // each takes one
    CHECK(divide_units(2, std::array{1.0, 3.0, 2.0}) == Counts{0, 1, 1});
    CHECK(divide_units(0, std::array{1.0, 2.0}) == Counts{0, 0});
}

TEST_CASE("no division of the units lets the slowest replica end sooner") {
    const std::array weights{1.0, 0.3, 2.2};
    const auto slowest = [&](const std::array<std::int64_t, 3>& taken) {
        double most = 0.0;
        for (std::size_t i = 0; i < 3; ++i) most = std::max(most, static_cast<double>(taken[i]) / weights[i]);
        return most;
    };
    for (std::int64_t units = 3; units < 40; ++units) {
        double least = 1e9;
        for (std::int64_t a = 1; a < units - 1; ++a)
            for (std::int64_t b = 1; a + b < units; ++b)
                least = std::min(least, slowest({a, b, units - a - b}));
        const auto taken = divide_units(units, weights);
        CHECK(taken[0] + taken[1] + taken[2] == units);
        CHECK(std::ranges::min(taken) >= 1);
        CHECK(slowest({taken[0], taken[1], taken[2]}) == least);
    }
}

TEST_CASE("with weights the batches stay those of one node, micro-batches stay whole, and parts follow") {
    auto asked = request(ShardingScheme::global_batch, 101, 24, 3);
    asked.weights = {1.0, 2.0, 0.5};
    for (const std::int64_t unit : {1, 4}) {
        asked.unit = unit;
        const EpochPlan plan(asked);
        const EpochPlan alone(request(ShardingScheme::global_batch, 101, 24, 1));
        std::int64_t before = 0;
        for (std::int64_t rank = 0; rank < 2; ++rank) CHECK((before += plan.share_size(rank, 0)) % unit == 0);
        for (std::int64_t step = 0; step < plan.steps_per_epoch(); ++step)
            CHECK(whole_batch(plan, 1, step) == whole_batch(alone, 1, step));
    }
    asked.unit = 1;
    CHECK(EpochPlan(asked).splits() == std::vector<std::vector<std::int64_t>>{{7, 14, 3}, {1, 3, 1}});
    asked.sharding.scheme = ShardingScheme::contiguous;
    const EpochPlan parts(asked);
    CHECK(parts.examples_of(0) == 4 * 7 + 1);
    auto second = parts.order_of(1, 0);
    std::sort(second.begin(), second.end());
    CHECK(second == epoch_order(29, 4 * 14 + 3, false, 7, 0));
    asked.weights = {1.0, 2.0};
    CHECK_THROWS_AS(EpochPlan(asked), InternalError);
}

TEST_CASE("the order of an epoch depends on seed and epoch and is a fair shuffle") {
    const auto order = epoch_order(0, 1000, true, 7, 0);
    CHECK(order == epoch_order(0, 1000, true, 7, 0));
    CHECK(order != epoch_order(0, 1000, true, 7, 1));
    CHECK(order != epoch_order(0, 1000, true, 8, 0));
    CHECK(epoch_order(0, 1000, false, 7, 3) == counted(1000));
    // The identity has no other fixed points than one in a thousand: the expected number is 1.
    int fixed = 0;
    for (std::uint32_t i = 0; i < 1000; ++i) fixed += order[i] == i ? 1 : 0;
    CHECK(fixed < 8);
    // Each of the 24 orders of 4 is as likely as the others: 2400 epochs, 100 each, standard deviation 10.
    std::map<std::vector<std::uint32_t>, int> orders;
    for (std::uint32_t epoch = 0; epoch < 2400; ++epoch) ++orders[epoch_order(0, 4, true, 7, epoch)];
    CHECK(orders.size() == 24);
    for (const auto& [which, count] : orders) CHECK(std::abs(count - 100) < 50);
}

TEST_CASE("contiguous: each node keeps its own stretch of the dataset in every epoch") {
    const EpochPlan plan(request(ShardingScheme::contiguous, 120, 12, 3));
    for (const std::uint32_t epoch : {0U, 1U}) {
        for (std::int64_t rank = 0; rank < 3; ++rank) {
            auto mine = plan.order_of(rank, epoch);
            CHECK(mine != epoch_order(rank * 40, 40, false, 7, epoch));
            std::sort(mine.begin(), mine.end());
            CHECK(mine == epoch_order(rank * 40, 40, false, 7, epoch));
        }
    }
    CHECK(plan.order_of(1, 0) != plan.order_of(1, 1));
    // Two nodes do not shuffle alike.
    auto second = plan.order_of(1, 0);
    for (auto& example : second) example -= 40;
    CHECK(second != plan.order_of(0, 0));
}

TEST_CASE("strided and shuffled: each node keeps its part in every epoch, and shuffles it") {
    for (const auto scheme : {ShardingScheme::strided, ShardingScheme::shuffled}) {
        auto asked = request(scheme, 120, 12, 3);
        const EpochPlan plan(asked);
        asked.shuffle = false;
        const EpochPlan in_order(asked);
        CHECK(plan.order_of(1, 0) != plan.order_of(1, 1));
        for (std::int64_t rank = 0; rank < 3; ++rank) {
            const auto part = in_order.order_of(rank, 0);
            CHECK(std::ranges::is_sorted(part));
            CHECK(part == in_order.order_of(rank, 5));
            auto mine = plan.order_of(rank, 1);
            std::ranges::sort(mine);
            CHECK(mine == part);
            if (scheme == ShardingScheme::strided) CHECK((part[0] == rank && part[39] == 117 + rank));
        }
    }
}

TEST_CASE("replicated: each node goes through the whole dataset, epoch after epoch, in its own order") {
    auto asked = request(ShardingScheme::replicated, 100, 10, 3);  // shares of 4, 3 and 3
    const EpochPlan plan(asked);
    for (std::int64_t rank = 0; rank < 3; ++rank) {
        std::vector<std::uint32_t> seen;
        for (std::uint32_t epoch = 0; seen.size() < 200; ++epoch) {
            const auto order = plan.order_of(rank, epoch);
            CHECK(std::ssize(order) == plan.examples_of(rank));
            seen.insert(seen.end(), order.begin(), order.end());
        }
        const std::vector second(seen.begin() + 100, seen.begin() + 200);
        seen.resize(100);
        CHECK(seen != second);
        std::ranges::sort(seen);
        CHECK(seen == counted(100));
        auto sorted = second;
        std::ranges::sort(sorted);
        CHECK(sorted == counted(100));
    }
    CHECK(plan.order_of(1, 0) != plan.order_of(2, 0));
    asked.shuffle = false;
    const EpochPlan in_order(asked);
    CHECK(in_order.order_of(1, 0) == epoch_order(40, 30, false, 7, 0));
    auto wrapped = epoch_order(70, 30, false, 7, 0);
    CHECK(in_order.order_of(1, 1) == wrapped);
    CHECK(in_order.order_of(2, 1) == epoch_order(0, 30, false, 7, 0));
}

TEST_CASE("by_label and dirichlet: sizes are known without labels, and the order with them") {
    std::vector<std::int32_t> labels(120);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int32_t>(i % 4);
    for (const auto scheme : {ShardingScheme::by_label, ShardingScheme::dirichlet}) {
        auto asked = request(scheme, 120, 14, 4);
        asked.weights = {1.0, 2.0, 2.0, 2.0};
        const EpochPlan plan(asked);
        CHECK(plan.needs_labels());
        CHECK(plan.splits() == EpochPlan([&] {
                                   auto contiguous = asked;
                                   contiguous.sharding = {ShardingScheme::contiguous};
                                   return contiguous;
                               }())
                                   .splits());
        CHECK_THROWS_AS(plan.order_of(1, 0), InternalError);
        CHECK(plan.parts_by_label().empty());
        const auto known = plan.with_labels(labels);
        CHECK(known.parts_by_label().size() == 120);
        std::vector<std::uint32_t> used;
        for (std::int64_t rank = 0; rank < 4; ++rank) {
            const auto order = known.order_of(rank, 1);
            CHECK(std::ssize(order) == plan.examples_of(rank));
            CHECK(order != known.order_of(rank, 2));
            used.insert(used.end(), order.begin(), order.end());
        }
        std::ranges::sort(used);
        CHECK(used == counted(120));
        const EpochPlan alone(request(scheme, 120, 14, 1));
        CHECK_FALSE(alone.needs_labels());
        CHECK(alone.order_of(0, 1) ==
              EpochPlan(request(ShardingScheme::global_batch, 120, 14, 1)).order_of(0, 1));
    }
}

TEST_CASE("a plan that cannot be is refused") {
    CHECK_THROWS_AS(EpochPlan(request(ShardingScheme::global_batch, 0, 1, 1)), DataError);
    CHECK_THROWS_AS(EpochPlan(request(ShardingScheme::global_batch, 10, 0, 1)), DataError);
    CHECK_THROWS_AS(EpochPlan(request(ShardingScheme::global_batch, 10, 1, 0)), DataError);
    CHECK_THROWS_AS(EpochPlan(request(ShardingScheme::global_batch, std::int64_t{1} << 32, 1, 1)), DataError);
    const EpochPlan plan(request(ShardingScheme::global_batch, 10, 5, 2));
    CHECK_THROWS_AS(plan.share(2, 0, 0), InternalError);
    CHECK_THROWS_AS(plan.share(0, 0, 2), InternalError);
}

TEST_CASE("ranks of one replica take the same examples, and a rank of none takes nothing") {
    auto asked = request(ShardingScheme::global_batch, 21, 8, 2);
    const EpochPlan two(asked);
    asked.replica_of_rank = {0, 0, 1, -1};
    const EpochPlan plan(asked);
    CHECK(plan.ranks() == 4);
    CHECK(plan.replicas() == 2);
    CHECK(plan.splits() == std::vector<std::vector<std::int64_t>>{{4, 4, 4, 0}, {3, 3, 2, 0}});
    CHECK(plan.order_of(0, 1) == two.order_of(0, 1));
    CHECK(plan.order_of(1, 1) == two.order_of(0, 1));
    CHECK(plan.order_of(2, 1) == two.order_of(1, 1));
    CHECK(plan.order_of(3, 1).empty());
    CHECK(plan.share(1, 0, 2) == two.share(0, 0, 2));
    CHECK(plan.share(3, 0, 1).examples.empty());
    CHECK_THROWS_AS(plan.order_of(4, 0), InternalError);
    asked.replica_of_rank = {-1};
    CHECK_THROWS_AS(EpochPlan(asked), DataError);
}

TEST_CASE("nobody takes the shares of a replica without a rank, and those of the others stay") {
    auto asked = request(ShardingScheme::global_batch, 21, 8, 3);
    const EpochPlan all(asked);
    CHECK(all.taken_examples(0) == 8);
    asked.replicas = 3;
    asked.replica_of_rank = {0, 2, -1};
    const EpochPlan plan(asked);
    CHECK(plan.replicas() == 3);
    CHECK(plan.splits() == std::vector<std::vector<std::int64_t>>{{3, 2, 0}, {2, 1, 0}});
    CHECK(plan.order_of(0, 1) == all.order_of(0, 1));
    CHECK(plan.order_of(1, 1) == all.order_of(2, 1));
    CHECK(plan.share(1, 0, 2) == all.share(2, 0, 2));
    CHECK(plan.batch_examples(0) == 8);
    CHECK(plan.taken_examples(0) == 5);
    CHECK(plan.taken_examples(2) == 3);
    asked.replicas = 2;
    CHECK_THROWS_AS(EpochPlan(asked), InternalError);
}
