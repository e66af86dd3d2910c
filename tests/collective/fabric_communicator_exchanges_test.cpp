#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <vector>

#include "base/error.hpp"
#include "collective/ending.hpp"
#include "collective/fabric_communicator.hpp"
#include "collective/nodes.hpp"

using namespace convoy;
using namespace std::chrono_literals;
using Verb = ExchangeVerb;

namespace {

using Floats = std::vector<float>;

Exchange with(ExchangeVerb verb, std::int64_t root) {
    return {.verb = verb, .root = root};
}

Nodes make_nodes(std::size_t count, bool tcp, const FabricOptions& options = {}) {
    return tcp ? tcp_nodes(count, options) : memory_nodes(count, options);
}

void expect(bool holds, const char* what) {
    if (!holds) throw InternalError(what);
}

/// What a rank does in one round: verbs of all kinds, in its own thread and in the background.
void one_of_each(std::int64_t rank, std::int64_t count, Communicator& communicator) {
    const auto own = static_cast<float>(rank + 1);
    const auto all = static_cast<float>(count * (count + 1) / 2);
    const auto root = count - 1;
    Floats sum(3000, own), pushed(70'000, own), pulled(500, own), spread(20'000, own), sums(100, own);
    Floats places(static_cast<std::size_t>(rank == root ? 40 * count : 40), own), sent(9000, own), got(9000);
    const auto next = (rank + 1) % count, previous = (rank + count - 1) % count;
    std::vector<Ticket> tickets{communicator.start(sum, {}),
                                communicator.start(pushed, with(Verb::push, root))};
    if (count > 1) {
        tickets.push_back(communicator.start(got, with(Verb::receive, previous)));
        tickets.push_back(communicator.start(sent, with(Verb::send, next)));
    }
    tickets.push_back(communicator.start(pulled, with(Verb::pull, root)));
    communicator.run(spread, with(Verb::broadcast, root));
    tickets.push_back(communicator.start(places, with(Verb::gather, root)));
    if (rank < 2) tickets.push_back(communicator.start(sums, {.group = {0, 1}}));
    for (const auto ticket : tickets) communicator.wait(ticket);
    expect(sum.front() == all && sum.back() == all, "all_reduce");
    expect(pushed.back() == (rank == root ? all : own), "push");
    expect(pulled.back() == static_cast<float>(count), "pull");
    expect(spread.back() == static_cast<float>(count), "broadcast");
    if (count > 1) expect(got.back() == static_cast<float>(previous + 1), "receive");
    for (std::int64_t i = 0; rank == root && i < 40 * count; ++i)
        expect(places[static_cast<std::size_t>(i)] == static_cast<float>(i / 40 + 1), "gather");
    if (rank < 2) expect(sums.back() == 3.0F, "all_reduce of a group");
}

}  // namespace

TEST_CASE("exchanges of every kind are under way at once, over memory and TCP") {
    const std::size_t count = GENERATE(2, 3, 4, 5);
    const bool tcp = GENERATE(false, true);
    CAPTURE(count, tcp);
    auto nodes = make_nodes(count, tcp);
    CHECK_NOTHROW(nodes.on_all([&](std::int64_t rank, Communicator& communicator) {
        for (int round = 0; round < 5; ++round)
            one_of_each(rank, static_cast<std::int64_t>(count), communicator);
    }));
}

TEST_CASE("what waits on one link does not hold up what is on others") {
    const bool tcp = GENERATE(false, true);
    auto nodes = make_nodes(3, tcp);
    Floats first(10), second(10), ones(10, 1.0F), twos(10, 2.0F), sum_0(5, 1.0F), sum_1(5, 1.0F);
    const auto early = nodes[0].start(first, with(Verb::receive, 1));
    const auto late = nodes[0].start(second, with(Verb::receive, 2));
    nodes[2].run(twos, with(Verb::send, 0));
    nodes[0].wait(late);
    CHECK(second == twos);
    // Sums in a group that shares no link with what waits.
    const auto there = nodes[2].start(sum_0, {.group = {1, 2}});
    nodes[1].run(sum_1, {.group = {1, 2}});
    nodes[2].wait(there);
    CHECK(sum_0[4] == 2.0F);
    nodes[1].run(ones, with(Verb::send, 0));
    nodes[0].wait(early);
    CHECK(first == ones);
}

TEST_CASE("on one link exchanges stay in the order of their start") {
    const bool tcp = GENERATE(false, true);
    auto nodes = make_nodes(2, tcp);
    std::vector<Floats> sent, got;
    for (std::size_t i = 0; i < 50; ++i) {
        sent.emplace_back(i % 7 == 0 ? 30'000 : 3, static_cast<float>(i));
        got.emplace_back(sent.back().size());
    }
    nodes.on_all([&](std::int64_t rank, Communicator& communicator) {
        std::vector<Ticket> tickets;
        for (std::size_t i = 0; i < sent.size(); ++i) {
            tickets.push_back(rank == 0 ? communicator.start(sent[i], with(Verb::send, 1))
                                        : communicator.start(got[i], with(Verb::receive, 0)));
        }
        TimePoint before{};
        for (const auto ticket : tickets) {
            const auto times = communicator.wait(ticket);
            expect(times.began >= before, "began too early");
            before = times.finished;
        }
    });
    CHECK(got == sent);
}

TEST_CASE("a server takes whichever message is there first") {
    const bool tcp = GENERATE(false, true);
    auto nodes = make_nodes(4, tcp);
    std::vector<Floats> inbox(3, Floats(1000));
    std::vector<Ticket> tickets;
    for (std::int64_t worker = 1; worker <= 3; ++worker)
        tickets.push_back(
            nodes[0].start(inbox[static_cast<std::size_t>(worker - 1)], with(Verb::receive, worker)));
    for (const std::size_t worker : {2U, 3U, 1U}) {
        Floats message(1000, static_cast<float>(worker));
        nodes[worker].run(message, with(Verb::send, 0));
        CHECK(nodes[0].wait_any(tickets) == worker - 1);
        CHECK(nodes[0].wait_any(tickets) == worker - 1);  // until its times are claimed
        nodes[0].wait(tickets[worker - 1]);
        CHECK(inbox[worker - 1] == message);
        tickets[worker - 1] =
            nodes[0].start(inbox[worker - 1], with(Verb::receive, static_cast<std::int64_t>(worker)));
    }
}

TEST_CASE("of several that are done the first in time is taken first") {
    auto nodes = make_nodes(3, true);
    Floats a(10), b(10), message(10);
    const std::array tickets{nodes[0].start(a, with(Verb::receive, 1)),
                             nodes[0].start(b, with(Verb::receive, 2))};
    nodes[2].run(message, with(Verb::send, 0));
    CHECK(nodes[0].wait_any(tickets) == 1);
    nodes[1].run(message, with(Verb::send, 0));
    CHECK(nodes[0].wait_any(std::array{tickets[0]}) == 0);
    CHECK(nodes[0].wait_any(tickets) == 1);
}

TEST_CASE("waiting for any of nothing, or of what is not under way, is a bug") {
    auto nodes = make_nodes(2, false);
    CHECK_THROWS_AS(nodes[0].wait_any({}), InternalError);
    CHECK_THROWS_AS(nodes[0].wait_any(std::array{Ticket{7}}), InternalError);
}

TEST_CASE("an exchange that this rank is not in is a bug, and harms no other") {
    auto nodes = make_nodes(3, false);
    Floats buffer(10, 1.0F), other(10, 1.0F);
    CHECK_THROWS_AS(nodes[0].start(buffer, {.group = {1, 2}}), InternalError);
    CHECK_THROWS_AS(nodes[0].run(buffer, {.verb = Verb::push, .group = {1, 2}, .root = 1}), InternalError);
    CHECK_THROWS_AS(nodes[0].start(buffer, with(Verb::send, 0)), InternalError);
    const auto ticket = nodes[0].start(buffer, {.group = {0, 1}});
    nodes[1].run(other, {.group = {0, 1}});
    nodes[0].wait(ticket);
    CHECK(buffer[9] == 2.0F);
}

TEST_CASE("a receive may be started long before its peer sends") {
    constexpr auto deadline = 300ms;
    auto nodes = make_nodes(3, true, {.deadline = deadline, .grace = 30ms});
    Floats early(10), message(10, 1.0F), sums(10, 1.0F), others(10, 1.0F);
    const auto ticket = nodes[0].start(early, with(Verb::receive, 1));
    const auto start = Clock::now();
    while (Clock::now() - start < 2 * deadline) {  // other work goes on meanwhile
        const auto there = nodes[2].start(others, {.group = {0, 2}});
        nodes[0].run(sums, {.group = {0, 2}});
        nodes[2].wait(there);
    }
    nodes[1].run(message, with(Verb::send, 0));
    CHECK_NOTHROW(nodes[0].wait(ticket));
    CHECK(early == message);
}

TEST_CASE("who waits for a receive waits no longer than the deadline") {
    auto nodes = make_nodes(2, true, {.deadline = 60ms, .grace = 30ms});
    Floats buffer(10), behind(10);
    const auto ticket = nodes[0].start(buffer, with(Verb::receive, 1));
    std::function<void()> wait;
    SECTION("for itself") {
        wait = [&] { nodes[0].wait(ticket); };
    }
    SECTION("for any") {
        wait = [&] { nodes[0].wait_any(std::array{ticket}); };
    }
    SECTION("for one behind it") {
        wait = [&] { nodes[0].run(behind, with(Verb::receive, 1)); };
    }
    const auto [code, text] = ending(wait);
    CHECK(code == 75);
    CHECK_THAT(text, Catch::StartsWith("node 1 (127.0.0.1:") && Catch::Contains("nothing received for") &&
                         Catch::Contains("in send 0"));
}

TEST_CASE("a server that hears of one worker now and then goes on waiting for another") {
    constexpr auto deadline = 1000ms;
    auto nodes = make_nodes(3, true, {.deadline = deadline, .grace = 30ms});
    Floats slow(10), fast(10), message(10, 1.0F);
    std::array tickets{nodes[0].start(slow, with(Verb::receive, 1)),
                       nodes[0].start(fast, with(Verb::receive, 2))};
    const auto start = Clock::now();
    std::size_t heard = 0;
    while (Clock::now() - start < 2 * deadline) {
        nodes[2].run(message, with(Verb::send, 0));
        REQUIRE(nodes[0].wait_any(tickets) == 1);
        nodes[0].wait(tickets[1]);
        tickets[1] = nodes[0].start(fast, with(Verb::receive, 2));
        ++heard;
    }
    CHECK(heard > 0);
    nodes[1].run(message, with(Verb::send, 0));
    CHECK(nodes[0].wait_any(tickets) == 0);
}

TEST_CASE("who waits for a send waits no longer than the deadline") {
    auto nodes = make_nodes(2, true, {.deadline = 60ms, .grace = 30ms});
    Floats buffer(8'000'000);
    const auto ticket = nodes[0].start(buffer, with(Verb::send, 1));
    const auto [code, text] = ending([&] { nodes[0].wait(ticket); });  // rank 1 takes nothing
    CHECK(code == 75);
    CHECK_THAT(text, Catch::StartsWith("node 1 (127.0.0.1:") && Catch::Contains("accepted for"));
}

TEST_CASE("a worker that goes away ends the server's wait for any, by name") {
    const bool tcp = GENERATE(false, true);
    auto nodes = make_nodes(3, tcp);
    Floats a(10), b(10);
    const std::array tickets{nodes[0].start(a, with(Verb::receive, 1)),
                             nodes[0].start(b, with(Verb::receive, 2))};
    auto waits =
        std::async(std::launch::async, [&] { return ending([&] { (void)nodes[0].wait_any(tickets); }); });
    nodes.communicators[2].reset();
    const auto [code, text] = waits.get();
    CHECK(code == 74);
    CHECK_THAT(text, Catch::StartsWith("node 2") && Catch::Contains("closed the connection"));
}

TEST_CASE("nodes that disagree about an exchange both end") {
    auto nodes = make_nodes(2, true, {.deadline = 10s, .grace = 50ms});
    std::array<Ending, 2> ends;
    nodes.on_all([&](std::int64_t rank, Communicator& communicator) {
        Floats buffer(1'000'000);
        ends[static_cast<std::size_t>(rank)] = ending([&] {
            communicator.run(buffer, rank == 0 ? with(Verb::receive, 1) : with(Verb::push, 0));
            communicator.run(buffer, {});
        });
    });
    CHECK(ends[0].code == 76);
    CHECK_THAT(ends[0].text, Catch::StartsWith("node 1 (127.0.0.1:") &&
                                 Catch::Contains("operation push where this node has send"));
    CHECK((ends[1].code == 74 || ends[1].code == 76));
}

TEST_CASE("draining ends a receive that nobody answers") {
    auto nodes = make_nodes(2, true);
    auto buffer = std::make_unique<Floats>(1000);
    const auto ticket = nodes[0].start(*buffer, with(Verb::receive, 1));
    nodes[0].drain();
    buffer.reset();
    CHECK_THROWS_AS(nodes[0].wait(ticket), NodeLostError);
}

TEST_CASE("a message waits for its turn") {
    const bool tcp = GENERATE(false, true);
    auto nodes = make_nodes(2, tcp);
    Floats first(10, 1.0F), answer(10), second(10, 2.0F), got_first(10), got_second(10), sent(10, 3.0F);
    const auto in_turn = [](ExchangeVerb verb, std::int64_t peer) {
        return Exchange{.verb = verb, .root = peer, .turn = 0};
    };
    std::vector<Ticket> tickets{nodes[0].start(first, in_turn(Verb::send, 1)),
                                nodes[0].start(answer, in_turn(Verb::receive, 1)),
                                nodes[0].start(second, in_turn(Verb::send, 1))};
    nodes[1].run(got_first, with(Verb::receive, 0));
    const auto late = nodes[1].start(got_second, with(Verb::receive, 0));
    const auto before = Clock::now();
    nodes[1].run(sent, with(Verb::send, 0));
    for (const auto ticket : tickets) nodes[0].wait(ticket);
    const auto times = nodes[1].wait(late);
    CHECK(times.peers_began > before);  // the second message left behind the answer
    CHECK(answer == sent);
    CHECK(got_second == second);
}
