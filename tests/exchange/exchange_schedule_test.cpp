#include "exchange/exchange_schedule.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "exchange/every_algorithm.hpp"
#include "exchange/exchange_cost.hpp"
#include "exchange/simulation.hpp"

using namespace convoy;
using namespace convoy::test;
using Verb = ExchangeVerb;

namespace {

using Ranks = std::vector<std::int64_t>;

constexpr std::uint64_t floats = 4;

struct Case {
    Exchange exchange;
    std::int64_t world_size = 1;
    std::uint64_t elements = 0;  ///< of each rank, but of the root of a gather

    [[nodiscard]] Ranks members() const {
        Ranks all = exchange.group;
        for (std::int64_t rank = 0; exchange.group.empty() && rank < world_size; ++rank) all.push_back(rank);
        return all;
    }
    /// In the order of the group from the root on.
    [[nodiscard]] Ranks others() const {
        auto all = members();
        std::ranges::rotate(all, std::ranges::find(all, exchange.root));
        std::erase(all, exchange.root);
        return all;
    }
};

/// Two ranks to a host.
HostMap hosts_of(std::int64_t world_size) {
    Ranks hosts;
    for (std::int64_t rank = 0; rank < world_size; ++rank) hosts.push_back(rank / 2);
    return HostMap(std::move(hosts));
}

/// All ranks' buffers after an exchange, of which each rank of the run starts the part that starts says, if
/// any.
template <typename StartsOf>
std::vector<Elements> exchanged(const Case& of, LinksHold links, const StartsOf& starts) {
    std::vector<Schedule> schedules(static_cast<std::size_t>(of.world_size));
    std::vector<std::uint64_t> firsts(schedules.size());
    std::vector<Elements> buffers;
    for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
        buffers.push_back(own_elements(rank, of.elements));
        const std::optional<Exchange> exchange = starts(static_cast<std::int64_t>(rank));
        if (!exchange) continue;
        if (exchange->verb == Verb::gather && exchange->root == static_cast<std::int64_t>(rank)) {
            const auto members = of.members();
            const auto own = std::ranges::find(members, exchange->root) - members.begin();
            Elements places(of.elements * members.size());
            std::ranges::copy(buffers.back(), places.begin() + own * static_cast<std::int64_t>(of.elements));
            buffers.back() = std::move(places);
        }
        auto part = exchange_schedule(*exchange, static_cast<std::int64_t>(rank), hosts_of(of.world_size),
                                      buffers.back().size(), floats);
        schedules[rank] = std::move(part.schedule);
        firsts[rank] = part.first;
    }
    Simulation simulation(schedules, buffers, links, firsts);
    REQUIRE(simulation.run());
    for (std::size_t rank = 0; rank < buffers.size(); ++rank) buffers[rank] = simulation.buffer(rank);
    return buffers;
}

std::vector<Elements> exchanged(const Case& of, LinksHold links) {
    return exchanged(of, links, [&](std::int64_t rank) -> std::optional<Exchange> {
        if (std::ranges::count(of.members(), rank) == 0) return {};
        return of.exchange;
    });
}

std::size_t index(std::int64_t rank) {
    return static_cast<std::size_t>(rank);
}

/// Every verb with a root: 1 to 5 ranks, each as the root, in runs of two more; then groups that leave ranks
/// out and that are in another order.
std::vector<Case> rooted(ExchangeVerb verb, ExchangeRoute route) {
    std::vector<Case> cases;
    for (const std::uint64_t elements : {0U, 1U, 100U, 333U}) {
        const auto with = [&](const Ranks& group, std::int64_t root, std::int64_t world_size) {
            cases.push_back({{.verb = verb,
                              .group = group,
                              .root = root,
                              .route = route,
                              .options = {.segment_bytes = 128}},
                             world_size,
                             elements});
        };
        for (std::int64_t ranks = 1; ranks <= 5; ++ranks) {
            for (std::int64_t root = 0; root < ranks; ++root) with({}, root, ranks);
        }
        for (const std::int64_t root : {4, 1, 6}) with({4, 1, 6}, root, 7);
        for (const std::int64_t root : {3, 0, 2}) with({3, 0, 1, 2}, root, 4);
        with({2}, 2, 3);
    }
    return cases;
}

/// Runs a check for every case over links that hold everything, and over links that hold nothing.
template <typename Check>
void check_all(ExchangeVerb verb, ExchangeRoute route, const Check& check) {
    for (const auto& each : rooted(verb, route)) {
        CAPTURE(each.world_size, each.exchange.group, each.exchange.root, each.elements);
        for (const auto links : {LinksHold::everything, LinksHold::nothing}) {
            const auto buffers = exchanged(each, links);
            check(each, buffers);
            for (std::int64_t rank = 0; rank < each.world_size; ++rank) {
                if (std::ranges::count(each.members(), rank) == 0)
                    CHECK(buffers[index(rank)] == own_elements(index(rank), each.elements));
            }
        }
    }
}

template <typename Check>
void check_all(ExchangeVerb verb, const Check& check) {
    check_all(verb, ExchangeRoute::direct, check);
}

}  // namespace

TEST_CASE("push adds all buffers to the root's, in the order of the group from the root on") {
    check_all(Verb::push, [](const Case& of, const std::vector<Elements>& buffers) {
        for (std::uint64_t i = 0; i < of.elements; ++i) {
            Element sum{{of.exchange.root, i}};
            for (const auto rank : of.others()) sum.push_back({rank, i});
            REQUIRE(buffers[index(of.exchange.root)][i] == sum);
        }
        for (const auto rank : of.others())
            CHECK(buffers[index(rank)] == own_elements(index(rank), of.elements));
    });
}

TEST_CASE("pull and broadcast give the root's buffer to all") {
    const auto verb = GENERATE(Verb::pull, Verb::broadcast);
    check_all(verb, [](const Case& of, const std::vector<Elements>& buffers) {
        for (const auto rank : of.members())
            CHECK(buffers[index(rank)] == own_elements(index(of.exchange.root), of.elements));
    });
}

TEST_CASE("along a chain a push and a pull move one buffer over each link") {
    const auto verb = GENERATE(Verb::push, Verb::pull);
    check_all(verb, ExchangeRoute::chain, [&](const Case& of, const std::vector<Elements>& buffers) {
        for (std::uint64_t i = 0; verb == Verb::push && i < of.elements; ++i) {
            Element sum{{of.exchange.root, i}};
            for (const auto rank : of.others()) sum.push_back({rank, i});
            REQUIRE(buffers[index(of.exchange.root)][i] == sum);
        }
        for (const auto rank : of.members()) {
            const auto cost = exchange_cost(of.exchange, false, of.elements, rank, hosts_of(of.world_size));
            CHECK(cost.sent_bytes <= of.elements * floats);
            CHECK(cost.received_bytes <= of.elements * floats);
            if (verb == Verb::pull)
                CHECK(buffers[index(rank)] == own_elements(index(of.exchange.root), of.elements));
        }
    });
}

TEST_CASE("gather puts every buffer into its place at the root") {
    check_all(Verb::gather, [](const Case& of, const std::vector<Elements>& buffers) {
        Elements all;
        for (const auto rank : of.members()) {
            const auto own = own_elements(index(rank), of.elements);
            all.insert(all.end(), own.begin(), own.end());
            if (rank != of.exchange.root) CHECK(buffers[index(rank)] == own);
        }
        CHECK(buffers[index(of.exchange.root)] == all);
    });
}

TEST_CASE("send and receive move a buffer from one rank to another") {
    for (const std::uint64_t elements : {0U, 1U, 333U}) {
        const Case of{{.options = {.segment_bytes = 128}}, 4, elements};
        for (const auto links : {LinksHold::everything, LinksHold::nothing}) {
            const auto buffers = exchanged(of, links, [&](std::int64_t rank) -> std::optional<Exchange> {
                auto part = of.exchange;
                part.verb = rank == 3 ? Verb::send : Verb::receive;
                part.root = rank == 3 ? 1 : 3;
                if (rank == 1 || rank == 3) return part;
                return {};
            });
            for (const std::size_t rank : {0U, 1U, 2U, 3U})
                CHECK(buffers[rank] == own_elements(rank == 1 ? 3 : rank, elements));
        }
    }
}

TEST_CASE("every all-reduce algorithm sums over a group, whatever its order") {
    for (const auto algorithm : every_algorithm) {
        for (const auto& group : {Ranks{4}, Ranks{4, 1}, Ranks{5, 0, 3}, Ranks{1, 2, 4, 5},
                                  Ranks{6, 5, 3, 1, 0}, Ranks{3, 2, 1, 0, 4, 6, 5}}) {
            const Case of{
                {.group = group, .options = {.algorithm = algorithm, .segment_bytes = 128}}, 7, 100};
            CAPTURE(group, static_cast<int>(algorithm));
            for (const auto links : {LinksHold::everything, LinksHold::nothing}) {
                const auto buffers = exchanged(of, links);
                for (std::int64_t rank = 0; rank < 7; ++rank) {
                    const bool member = std::ranges::count(group, rank) > 0;
                    for (std::uint64_t i = 0; i < of.elements; ++i) {
                        Element whole;
                        for (const auto each : member ? group : Ranks{rank}) whole.push_back({each, i});
                        auto element = buffers[index(rank)][i];
                        std::ranges::sort(element);
                        std::ranges::sort(whole);
                        REQUIRE(element == whole);
                    }
                }
            }
        }
    }
}

TEST_CASE("an exchange uses the links that it names, and the other side names them too") {
    const auto verb = GENERATE(Verb::all_reduce, Verb::push, Verb::pull, Verb::broadcast, Verb::gather);
    for (const auto algorithm : every_algorithm) {
        for (const auto& group : {Ranks{}, Ranks{4}, Ranks{8, 4}, Ranks{9, 0, 3}, Ranks{1, 2, 4, 5, 0}}) {
            const Exchange exchange{.verb = verb,
                                    .group = group,
                                    .root = group.empty() ? 7 : group.back(),
                                    .options = {.algorithm = algorithm}};
            CAPTURE(static_cast<int>(verb), static_cast<int>(algorithm), group);
            const auto members = Case{exchange, 10, 0}.members();
            std::set<std::pair<std::int64_t, std::int64_t>> sent, received;
            for (const auto rank : members) {
                const auto links = links_of(exchange, rank, hosts_of(10));
                for (const auto peer : links.send_to) sent.emplace(rank, peer);
                for (const auto peer : links.receive_from) received.emplace(peer, rank);
                for (const std::uint64_t elements : {100U, 200'000U, 4'000'000U}) {
                    const auto count =
                        verb == Verb::gather ? elements / members.size() * members.size() : elements;
                    const auto part = exchange_schedule(exchange, rank, hosts_of(10), count, floats);
                    CHECK(std::ranges::includes(links.send_to, part.schedule.send_to));
                    CHECK(std::ranges::includes(links.receive_from, part.schedule.receive_from));
                    for (const auto& transfer : part.schedule.sends)
                        REQUIRE(std::ranges::binary_search(part.schedule.send_to, transfer.peer));
                    for (const auto& transfer : part.schedule.receives)
                        REQUIRE(std::ranges::binary_search(part.schedule.receive_from, transfer.peer));
                }
            }
            CHECK(sent == received);
            CHECK(sent.empty() == (members.size() == 1));
        }
    }
}

TEST_CASE("the links of point-to-point exchanges and of a ring, by hand") {
    const HostMap hosts(5);
    const auto links = [&](const Exchange& exchange, std::int64_t rank) {
        return links_of(exchange, rank, hosts);
    };
    CHECK(links({.verb = Verb::send, .root = 3}, 1) == ExchangeLinks{{3}, {}});
    CHECK(links({.verb = Verb::receive, .root = 3}, 1) == ExchangeLinks{{}, {3}});
    CHECK(links({.verb = Verb::push, .root = 2}, 2) == ExchangeLinks{{}, {0, 1, 3, 4}});
    CHECK(links({.verb = Verb::push, .root = 2}, 4) == ExchangeLinks{{2}, {}});
    CHECK(links({.verb = Verb::broadcast, .root = 1}, 1) == ExchangeLinks{{0, 2, 3}, {}});
    CHECK(links({.group = {4, 0, 3}, .options = {.algorithm = AllReduceAlgorithm::ring}}, 0) ==
          ExchangeLinks{{3}, {4}});
}

TEST_CASE("impossible exchanges are bugs") {
    const auto refused = [](const Exchange& exchange, std::int64_t rank, std::uint64_t elements = 10) {
        CHECK_THROWS_AS(exchange_schedule(exchange, rank, HostMap(4), elements, floats), InternalError);
    };
    for (const auto verb : {Verb::all_reduce, Verb::push, Verb::pull, Verb::broadcast, Verb::gather}) {
        refused({.verb = verb, .group = {1, 2}, .root = 1}, 0);  // not in the group
        refused({.verb = verb, .group = {1, 2, 1}, .root = 1}, 1);
        refused({.verb = verb, .group = {1, 4}, .root = 1}, 1);
        refused({.verb = verb, .group = {1, -1}, .root = 1}, 1);
        if (verb != Verb::all_reduce) refused({.verb = verb, .group = {1, 2}, .root = 0}, 1);
        if (verb != Verb::all_reduce) refused({.verb = verb, .root = 4}, 1);
    }
    for (const auto verb : {Verb::send, Verb::receive}) {
        refused({.verb = verb, .root = 2}, 2);
        refused({.verb = verb, .root = 4}, 2);
        refused({.verb = verb, .root = -1}, 2);
    }
    refused({.verb = Verb::gather, .root = 1}, 1, 10);  // no equal pieces of four ranks
    refused({.options = {.segment_bytes = 63}}, 0);
    CHECK_THROWS_AS(exchange_schedule({}, 0, HostMap(4), 10, floats, 0), InternalError);
    CHECK_THROWS_AS(sparse_exchange_schedule({.verb = Verb::push}, 0, HostMap(4), 10), InternalError);
    CHECK_THROWS_AS(
        sparse_exchange_schedule({.options = {.algorithm = AllReduceAlgorithm::tree}}, 0, HostMap(4), 10),
        InternalError);
}

TEST_CASE("the fingerprint tells groups, their orders and their roots apart") {
    const auto fingerprint = [](const Exchange& exchange) {
        return exchange_schedule(exchange, 1, HostMap(4), 8, floats).group;
    };
    CHECK(fingerprint({}) == 0);
    CHECK(fingerprint({.group = {0, 1, 2, 3}}) == 0);
    const std::set<std::uint16_t> different{0,
                                            fingerprint({.group = {0, 1}}),
                                            fingerprint({.group = {1, 0}}),
                                            fingerprint({.group = {0, 1, 2}}),
                                            fingerprint({.group = {1, 0, 2, 3}}),
                                            fingerprint({.verb = Verb::push, .root = 0}),
                                            fingerprint({.verb = Verb::push, .root = 1}),
                                            fingerprint({.verb = Verb::push, .group = {1, 0}, .root = 0})};
    CHECK(different.size() == 8);
    CHECK(fingerprint({.verb = Verb::pull, .root = 2}) == fingerprint({.verb = Verb::push, .root = 2}));
    CHECK(fingerprint({.verb = Verb::send, .root = 2}) == 0);
}

TEST_CASE("a sum by another library has no links and no schedule, but a broadcast of the same options has") {
    Exchange by_mpi{.options = {.algorithm = AllReduceAlgorithm::mpi}};
    CHECK(links_of(by_mpi, 1, HostMap(4)) == ExchangeLinks{});
    CHECK_THROWS_AS(exchange_schedule(by_mpi, 1, HostMap(4), 100, floats), InternalError);
    by_mpi.verb = ExchangeVerb::broadcast;
    CHECK_FALSE(links_of(by_mpi, 1, HostMap(4)) == ExchangeLinks{});
}
