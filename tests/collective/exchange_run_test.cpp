#include "collective/exchange_run.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <vector>

#include "base/error.hpp"
#include "collective/ending.hpp"
#include "collective/linked_ranks.hpp"
#include "collective/same_bits.hpp"
#include "collective/wire.hpp"
#include "exchange/every_algorithm.hpp"

using namespace convoy;
using namespace convoy::test;
using namespace std::chrono_literals;
using Verb = ExchangeVerb;

namespace {

using Floats = std::vector<float>;
using Integers = std::vector<std::int64_t>;
using Group = std::vector<std::int64_t>;

/// Values in [-1, 1) that differ from rank to rank and in all their bits.
Floats floats_of(std::int64_t rank, std::size_t count) {
    Floats made(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto scrambled = static_cast<std::uint32_t>(i + 1'000'003 * index(rank)) * 2'654'435'761U;
        made[i] = static_cast<float>(scrambled) / 0x1p31F - 1.0F;
    }
    return made;
}

Integers integers_of(std::int64_t rank, std::size_t count) {
    Integers made(count);
    for (std::size_t i = 0; i < count; ++i)
        made[i] = (std::int64_t{1} << 60) + static_cast<std::int64_t>(i * 1001) - rank;
    return made;
}

template <typename Element>
std::vector<Element> values(std::int64_t rank, std::size_t count) {
    if constexpr (std::is_same_v<Element, float>) {
        return floats_of(rank, count);
    } else {
        return integers_of(rank, count);
    }
}

/// As it arrives.
Floats rounded(Floats floats, WireType wire) {
    round_to(wire, floats);
    return floats;
}
Integers rounded(Integers integers, WireType) {
    return integers;
}

/// An exchange in a run of so many ranks, the elements of a rank, and how they travel.
struct Case {
    Exchange exchange;
    std::int64_t world_size;
    std::size_t count;

    [[nodiscard]] Group members() const {
        Group all = exchange.group;
        for (std::int64_t rank = 0; exchange.group.empty() && rank < world_size; ++rank) all.push_back(rank);
        return all;
    }
    /// In the order of the group from the root on.
    [[nodiscard]] Group others() const {
        auto all = members();
        std::ranges::rotate(all, std::ranges::find(all, exchange.root));
        std::erase(all, exchange.root);
        return all;
    }
};

/// All ranks' buffers afterwards.
template <typename Element>
std::vector<std::vector<Element>> carry_out(const Case& of) {
    LinkedRanks ranks(of.world_size);
    std::vector<std::vector<Element>> buffers;
    for (std::int64_t rank = 0; rank < of.world_size; ++rank)
        buffers.push_back(values<Element>(rank, of.count));
    const auto members = of.members();
    if (of.exchange.verb == Verb::gather) {
        auto& places = buffers[index(of.exchange.root)];
        const auto own = places;
        places.assign(of.count * members.size(), Element{});
        const auto at = std::ranges::find(members, of.exchange.root) - members.begin();
        std::ranges::copy(own, places.begin() + at * static_cast<std::ptrdiff_t>(of.count));
    }
    for (const auto rank : members) ranks.start(rank, std::span(buffers[index(rank)]), of.exchange);
    ranks.finish();
    for (auto& end : ranks.ends) {
        const auto times = end.get();
        CHECK(times.began <= times.peers_began);
        CHECK(times.peers_began <= times.finished);
    }
    return buffers;
}

/// Every verb with a root, over 2 to 5 ranks, and over groups that leave ranks out and are in another order.
template <typename Check>
void for_all(ExchangeVerb verb, ExchangeRoute route, WireType wire, const Check& check) {
    const auto with = [&](const Group& group, std::int64_t root, std::int64_t world_size) {
        for (const std::size_t count : {0U, 1U, 1009U}) {
            const Case of{{.verb = verb,
                           .group = group,
                           .root = root,
                           .route = route,
                           .options = {.segment_bytes = 256, .wire_type = wire}},
                          world_size,
                          count};
            CAPTURE(static_cast<int>(verb), static_cast<int>(wire), group, root, world_size, count);
            check(of);
        }
    };
    for (std::int64_t ranks = 1; ranks <= 5; ++ranks) with({}, ranks / 2, ranks);
    with({4, 1, 3}, 1, 5);
    with({2, 0}, 2, 3);
    with({3, 1, 2, 0}, 0, 4);
}

template <typename Check>
void for_all(ExchangeVerb verb, WireType wire, const Check& check) {
    for_all(verb, ExchangeRoute::direct, wire, check);
}

template <typename Element>
void check_push(WireType wire) {
    for_all(Verb::push, wire, [](const Case& of) {
        const auto buffers = carry_out<Element>(of);
        auto sum = values<Element>(of.exchange.root, of.count);
        for (const auto rank : of.others()) {
            const auto own = values<Element>(rank, of.count);
            const auto more = rounded(own, of.exchange.options.wire_type);
            for (std::size_t i = 0; i < of.count; ++i) sum[i] += more[i];
            CHECK(same_bits(buffers[index(rank)], own));
        }
        CHECK(same_bits(buffers[index(of.exchange.root)], sum));
    });
}

template <typename Element>
void check_from_root(ExchangeVerb verb, WireType wire) {
    for_all(verb, wire, [](const Case& of) {
        const auto buffers = carry_out<Element>(of);
        const auto own = values<Element>(of.exchange.root, of.count);
        CHECK(same_bits(buffers[index(of.exchange.root)], own));
        for (const auto rank : of.others())
            CHECK(same_bits(buffers[index(rank)], rounded(own, of.exchange.options.wire_type)));
    });
}

template <typename Element>
void check_gather(WireType wire) {
    for_all(Verb::gather, wire, [](const Case& of) {
        const auto buffers = carry_out<Element>(of);
        std::vector<Element> all;
        for (const auto rank : of.members()) {
            auto own = values<Element>(rank, of.count);
            if (rank != of.exchange.root) {
                CHECK(same_bits(buffers[index(rank)], own));
                own = rounded(own, of.exchange.options.wire_type);
            }
            all.insert(all.end(), own.begin(), own.end());
        }
        CHECK(same_bits(buffers[index(of.exchange.root)], all));
    });
}

}  // namespace

TEST_CASE(
    "push adds every buffer to the root's, in the order of the group from the root on, to the last bit") {
    for (const auto wire : {WireType::float32, WireType::float16, WireType::bfloat16})
        check_push<float>(wire);
    check_push<std::int64_t>(WireType::float16);
}

TEST_CASE("pull and broadcast give every rank what the root has, and the root keeps it as it is") {
    for (const auto verb : {Verb::pull, Verb::broadcast}) {
        for (const auto wire : {WireType::float32, WireType::float16, WireType::bfloat16})
            check_from_root<float>(verb, wire);
        check_from_root<std::int64_t>(verb, WireType::bfloat16);
    }
}

TEST_CASE("along a chain a push adds from the far end on, and a pull gives the root's buffer to all") {
    for_all(Verb::push, ExchangeRoute::chain, WireType::float32, [](const Case& of) {
        const auto buffers = carry_out<float>(of);
        auto others = of.others();
        std::ranges::reverse(others);
        Floats sum(of.count);
        for (const auto rank : others) {
            const auto own = values<float>(rank, of.count);
            for (std::size_t i = 0; i < of.count; ++i)
                sum[i] = rank == others.front() ? own[i] : own[i] + sum[i];
            CHECK(same_bits(buffers[index(rank)], sum));
        }
        const auto own = values<float>(of.exchange.root, of.count);
        for (std::size_t i = 0; i < of.count; ++i) sum[i] = others.empty() ? own[i] : own[i] + sum[i];
        CHECK(same_bits(buffers[index(of.exchange.root)], sum));
    });
    for_all(Verb::pull, ExchangeRoute::chain, WireType::float32, [](const Case& of) {
        const auto buffers = carry_out<float>(of);
        for (const auto rank : of.members())
            CHECK(same_bits(buffers[index(rank)], values<float>(of.exchange.root, of.count)));
    });
}

TEST_CASE("gather puts every rank's buffer into its place at the root") {
    for (const auto wire : {WireType::float32, WireType::float16, WireType::bfloat16})
        check_gather<float>(wire);
    check_gather<std::int64_t>(WireType::float32);
}

TEST_CASE("send and receive move a buffer, in both directions at the same time") {
    for (const auto wire : {WireType::float32, WireType::float16, WireType::bfloat16}) {
        for (const std::size_t count : {0U, 1U, 5000U}) {
            LinkedRanks ranks(2);
            const AllReduceOptions options{.segment_bytes = 256, .wire_type = wire};
            auto there = floats_of(0, count), back = floats_of(1, count);
            Floats at_1(count), at_0(count);
            ranks.start(0, there, {.verb = Verb::send, .root = 1, .options = options});
            ranks.start(0, at_0, {.verb = Verb::receive, .root = 1, .options = options});
            ranks.start(1, back, {.verb = Verb::send, .root = 0, .options = options});
            ranks.start(1, at_1, {.verb = Verb::receive, .root = 0, .options = options});
            ranks.finish();
            for (auto& end : ranks.ends) CHECK(ending(end).code == 0);
            CHECK(same_bits(there, floats_of(0, count)));
            CHECK(same_bits(at_1, rounded(there, wire)));
            CHECK(same_bits(at_0, rounded(back, wire)));
        }
    }
}

TEST_CASE("every algorithm sums over a group, the same bits on all of it") {
    for (const auto algorithm : every_algorithm) {
        for (const auto& group : {Group{4, 1}, Group{5, 0, 3}, Group{1, 2, 4, 5}, Group{4, 3, 2, 1, 0}}) {
            for (const auto wire : {WireType::float32, WireType::float16}) {
                const Case of{{.group = group,
                               .options = {.algorithm = algorithm, .segment_bytes = 256, .wire_type = wire}},
                              6,
                              1009};
                CAPTURE(static_cast<int>(algorithm), group, static_cast<int>(wire));
                const auto buffers = carry_out<float>(of);
                std::vector<double> sum(of.count);
                for (const auto rank : group) {
                    const auto own = floats_of(rank, of.count);
                    for (std::size_t i = 0; i < of.count; ++i) sum[i] += static_cast<double>(own[i]);
                }
                const auto& found = buffers[index(group[0])];
                double largest = 0.0;
                for (std::size_t i = 0; i < of.count; ++i)
                    largest = std::max(largest, std::abs(static_cast<double>(found[i]) - sum[i]));
                CHECK(largest < (wire == WireType::float32 ? 1e-5 : 2e-2));
                for (const auto rank : group) CHECK(same_bits(buffers[index(rank)], found));
                for (std::int64_t rank = 0; rank < of.world_size; ++rank) {
                    if (std::ranges::count(group, rank) == 0)
                        CHECK(same_bits(buffers[index(rank)], floats_of(rank, of.count)));
                }
            }
        }
    }
}

TEST_CASE("the greatest values are summed over a group") {
    LinkedRanks ranks(4);
    const Exchange exchange{.group = {3, 1, 0}, .options = {.wire_type = WireType::top_k, .top_k = {0.1}}};
    std::vector<Floats> sums(4, Floats(10, 0.5F)), residuals(4, Floats(10));
    for (const auto rank : exchange.group) {
        sums[index(rank)][index(rank)] = 8.0F;
        ranks.start(rank, SparsifiedBuffer{sums[index(rank)], residuals[index(rank)]}, exchange);
    }
    ranks.finish();
    for (auto& end : ranks.ends) CHECK(ending(end).code == 0);
    for (const auto rank : exchange.group) CHECK(sums[index(rank)] == Floats{8, 8, 0, 8, 0, 0, 0, 0, 0, 0});
    CHECK(sums[2] == Floats(10, 0.5F));
}

TEST_CASE("two groups sum at the same time, and a send overtakes a receive that waits") {
    LinkedRanks ranks(4);
    auto a = floats_of(0, 500), b = floats_of(1, 500), c = floats_of(2, 500), d = floats_of(3, 500);
    Floats early(10), late(10, 3.0F);
    const auto waiting = ranks.start(0, early, {.verb = Verb::receive, .root = 2});
    const auto first = ranks.start(0, a, {.group = {0, 1}});
    ranks.start(2, c, {.group = {3, 2}});
    ranks.start(3, d, {.group = {3, 2}});
    const auto last = ranks.start(1, b, {.group = {0, 1}});
    ranks.finish(first);
    ranks.finish(last);
    CHECK(same_bits(a, b));
    CHECK(ranks.ends[waiting].wait_for(0s) != std::future_status::ready);
    ranks.start(2, late, {.verb = Verb::send, .root = 0});
    ranks.finish();
    CHECK(early == late);
    CHECK(same_bits(c, d));
    CHECK(!same_bits(a, c));
}
