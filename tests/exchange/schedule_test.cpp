#include "exchange/schedule.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <tuple>
#include <vector>

#include "exchange/algorithms.hpp"
#include "exchange/simulation.hpp"
#include "spec/all_reduce_spec.hpp"

using namespace convoy;

namespace {

/// Three ranks to a host, but dealt out so that the lowest of a host is not the first of three.
HostMap three_to_a_host(std::int64_t ranks) {
    std::vector<std::int64_t> hosts;
    for (std::int64_t rank = 0; rank < ranks; ++rank) hosts.push_back(rank % ((ranks + 2) / 3) * 7);
    return HostMap(std::move(hosts));
}

constexpr std::array algorithms{ring_turns,
                                halving_doubling_turns,
                                recursive_doubling_turns,
                                tree_turns,
                                pairwise_turns,
                                +[](std::int64_t rank, std::int64_t ranks, ElementRange block) {
                                    return hierarchical_turns(rank, three_to_a_host(ranks), block);
                                }};

std::vector<Schedule> schedules(std::size_t algorithm, std::int64_t ranks, std::uint64_t elements,
                                std::uint64_t block, std::uint64_t depth) {
    std::vector<Schedule> all;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        all.push_back(make_schedule(elements, block, depth, [&](ElementRange range) {
            return algorithms.at(algorithm)(rank, ranks, range);
        }));
    }
    return all;
}

std::vector<Elements> own_buffers(std::size_t ranks, std::uint64_t elements) {
    std::vector<Elements> buffers;
    for (std::size_t rank = 0; rank < ranks; ++rank) buffers.push_back(own_elements(rank, elements));
    return buffers;
}

/// Whether every element on every rank holds every rank's value once.
bool complete(const Simulation& simulation, std::size_t ranks, std::uint64_t elements) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        for (std::uint64_t i = 0; i < elements; ++i) {
            auto element = simulation.buffer(rank)[i];
            std::ranges::sort(element);
            Element whole;
            for (std::size_t each = 0; each < ranks; ++each)
                whole.push_back({static_cast<std::int64_t>(each), i});
            if (element != whole) return false;
        }
    }
    return true;
}

}  // namespace

TEST_CASE("parts are nearly equal, aligned and cover the whole") {
    for (const std::uint64_t count : {0U, 1U, 15U, 16U, 17U, 1000U, 4096U}) {
        for (const std::uint64_t parts : {1U, 2U, 3U, 7U, 100U}) {
            std::uint64_t next = 32, smallest = count, largest = 0;
            for (std::uint64_t i = 0; i < parts; ++i) {
                const auto part = part_of({32, count}, parts, i);
                CHECK(part.first == next);
                CHECK((part.first % chunk_unit == 0 || part.first == 32 + count));
                next += part.count;
                smallest = std::min(smallest, part.count);
                largest = std::max(largest, part.count);
            }
            CHECK(next == 32 + count);
            CHECK(largest - smallest <= 2 * chunk_unit);
        }
    }
}

TEST_CASE("three ranks on a ring, one block: the steps of the paper") {
    // chunks of 16 elements at 0, 16 and 32; rank 1 sends chunk 1, 0, 2, 1 and receives 0, 2, 1, 0
    const auto rank_1 = schedules(0, 3, 48, 48, 1)[1];
    CHECK(
        rank_1.sends ==
        std::vector<Send>{{2, 0, {16, 16}, 0}, {2, 1, {0, 16}, 1}, {2, 2, {32, 16}, 2}, {2, 3, {16, 16}, 3}});
    CHECK(rank_1.receives == std::vector<Receive>{{0, 0, {0, 16}, true, 0},
                                                  {0, 1, {32, 16}, true, 0},
                                                  {0, 2, {16, 16}, false, 0},
                                                  {0, 3, {0, 16}, false, 0}});
}

TEST_CASE("every algorithm adds every rank's value once to every element, on every rank") {
    for (std::size_t algorithm = 0; algorithm < algorithms.size(); ++algorithm) {
        for (std::int64_t ranks = 1; ranks <= 9; ++ranks) {
            for (const auto& [elements, block, depth] : {std::tuple{0U, 16U, 1U},
                                                         {1U, 16U, 1U},
                                                         {333U, 64U, 2U},
                                                         {333U, 16U, 100U},
                                                         {500U, 1000U, 1U}}) {
                CAPTURE(algorithm, ranks, elements, block, depth);
                const auto all = schedules(algorithm, ranks, elements, block, depth);
                for (const auto links : {LinksHold::everything, LinksHold::nothing}) {
                    Simulation simulation(all, own_buffers(all.size(), elements), links);
                    CHECK(simulation.run());
                    CHECK(complete(simulation, all.size(), elements));
                }
            }
        }
    }
}

TEST_CASE("a rank exchanges with its partners only") {
    using enum AllReduceAlgorithm;
    const std::array<std::vector<AllReduceAlgorithm>, 6> more{{{}, {}, {}, {}, {pairwise}, {hierarchical}}};
    for (std::size_t algorithm = 0; algorithm < algorithms.size(); ++algorithm) {
        for (std::int64_t ranks = 2; ranks <= 40; ranks += ranks < 17 ? 1 : 23) {
            const auto all = schedules(algorithm, ranks, 100, 100, 1);
            for (std::int64_t rank = 0; rank < ranks; ++rank) {
                const auto partners = partners_of(rank, three_to_a_host(ranks), more.at(algorithm));
                for (const auto& send : all[static_cast<std::size_t>(rank)].sends)
                    REQUIRE(std::ranges::count(partners, send.peer) == 1);
                for (const auto& receive : all[static_cast<std::size_t>(rank)].receives)
                    REQUIRE(std::ranges::count(partners, receive.peer) == 1);
            }
        }
    }
}

TEST_CASE("ring, halving-doubling and pairwise exchange send the least that is possible") {
    for (const std::size_t algorithm : {0U, 1U, 4U}) {
        for (const std::int64_t ranks : {2, 4, 8}) {
            for (const auto& schedule : schedules(algorithm, ranks, 16 * 8 * 4, 16 * 8, 2)) {
                std::uint64_t sent = 0;
                for (const auto& send : schedule.sends) sent += send.range.count;
                CHECK(sent == 2U * 16 * 8 * 4 * static_cast<std::uint64_t>(ranks - 1) /
                                  static_cast<std::uint64_t>(ranks));
            }
        }
    }
}

TEST_CASE("what is added over what is still being sent waits for it") {
    for (const auto& schedule : schedules(2, 4, 64, 64, 1)) {
        CHECK(schedule.receives.at(0).after_sends == 1);
        CHECK(schedule.receives.at(1).after_sends == 2);
        CHECK(schedule.sends.at(1).after_receives == 1);
    }
}

TEST_CASE("in a pairwise exchange nothing waits but the sum that is handed out") {
    // rank 1 of 3: chunks of 16 elements; it owns the one at 16
    const auto rank_1 = schedules(4, 3, 48, 48, 1)[1];
    CHECK(
        rank_1.sends ==
        std::vector<Send>{{2, 0, {32, 16}, 0}, {0, 1, {0, 16}, 0}, {2, 2, {16, 16}, 2}, {0, 3, {16, 16}, 2}});
    CHECK(rank_1.receives == std::vector<Receive>{{0, 0, {16, 16}, true, 0},
                                                  {2, 1, {16, 16}, true, 0},
                                                  {0, 2, {0, 16}, false, 0},
                                                  {2, 3, {32, 16}, false, 0}});
}

TEST_CASE("between hosts a hierarchical sum is a ring of their lowest ranks") {
    const HostMap hosts({5, 2, 5, 2, 2});
    CHECK(hosts.leaders() == std::vector<std::int64_t>{0, 1});
    const auto member = hierarchical_turns(4, hosts, {0, 64});
    REQUIRE(member.size() == 6);
    CHECK(member[0] == Turn{});
    CHECK(member[1] == Turn{.send_to = 1, .receive_from = {}, .send = {0, 64}, .receive = {}});
    CHECK(member[5] == Turn{.send_to = {}, .receive_from = 1, .send = {}, .receive = {0, 64}});
    const auto leader = hierarchical_turns(1, hosts, {0, 64});
    CHECK(leader[0].receive_from == 3);
    CHECK(leader[1].receive_from == 4);
    CHECK(leader[2] ==
          Turn{.send_to = 0, .receive_from = 0, .send = {32, 32}, .receive = {0, 32}, .adds = true});
    CHECK(leader[4].send_to == 3);
}

TEST_CASE("blocks are interleaved by the depth") {
    // Two ranks, three blocks of 32: rounds of (block, step) with depth 1 are 00, 10 01, 20 11, 21.
    const auto schedule = schedules(0, 2, 96, 32, 1)[0];
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
    for (const auto& send : schedule.sends) order.emplace_back(send.range.first / 32, send.step);
    CHECK(order == std::vector<std::pair<std::uint64_t, std::uint32_t>>{
                       {0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {2, 1}});
}

TEST_CASE("what comes in a schedule's telling step has something of every rank in it") {
    const auto algorithm = GENERATE(range(std::size_t{0}, algorithms.size()));
    const std::int64_t ranks = GENERATE(2, 3, 4, 5, 8);
    CAPTURE(algorithm, ranks);
    // Who went into what a rank has, step by step, were every rank to send all that it has.
    std::vector<Turns> turns;
    const auto all = schedules(algorithm, ranks, 64, 64, 1);
    for (std::int64_t rank = 0; rank < ranks; ++rank)
        turns.push_back(algorithms.at(algorithm)(rank, ranks, {0, 64}));
    std::vector<std::set<std::int64_t>> heard(turns.size());
    for (std::size_t rank = 0; rank < heard.size(); ++rank)
        heard[rank].insert(static_cast<std::int64_t>(rank));
    for (std::uint32_t step = 0; step < turns.front().size(); ++step) {
        const auto before = heard;
        for (std::size_t rank = 0; rank < heard.size(); ++rank) {
            const auto& turn = turns[rank][step];
            if (turn.receive_from)
                heard[rank].merge(std::set(before[static_cast<std::size_t>(*turn.receive_from)]));
            const bool inner_node = algorithm == 3 && rank > 0;
            if (step == all[rank].tells_of_peers && turn.receive_from && !inner_node)
                CHECK(std::ssize(heard[rank]) == ranks);
        }
    }
    for (const auto& each : schedules(algorithm, ranks, 6400, 64, 4)) CHECK(each.tells_of_peers == 0);
}

TEST_CASE("one rank has nothing to exchange") {
    for (std::size_t algorithm = 0; algorithm < algorithms.size(); ++algorithm) {
        CHECK(schedules(algorithm, 1, 1000, 16, 1)[0].sends.empty());
        CHECK(schedules(algorithm, 1, 1000, 16, 1)[0].receives.empty());
    }
}
