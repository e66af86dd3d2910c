#include "collective/link_queues.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

using namespace convoy;

namespace {

using Tickets = std::vector<Ticket>;

Ticket ticket(std::uint64_t number) {
    return Ticket{number};
}

Lane to(std::int64_t peer, std::int64_t connection = 0) {
    return {connection, Lane::Way::send, peer};
}
Lane from(std::int64_t peer) {
    return {0, Lane::Way::receive, peer};
}

}  // namespace

TEST_CASE("an exchange begins when those before it on its links are done") {
    LinkQueues queues;
    CHECK(queues.add(ticket(0), {to(1), from(2)}));
    CHECK_FALSE(queues.add(ticket(1), {to(1), from(3)}));
    CHECK(queues.add(ticket(2), {from(1)}));        // the other direction
    CHECK(queues.add(ticket(3), {to(1, 1)}));       // another connection
    CHECK_FALSE(queues.add(ticket(4), {from(3)}));  // behind one that has not begun
    CHECK_FALSE(queues.add(ticket(5), {from(2), to(4)}));
    CHECK(queues.add(ticket(6), {}));  // nobody to exchange with
    CHECK(queues.remove(ticket(2)).empty());
    CHECK(queues.remove(ticket(0)) == Tickets{ticket(1), ticket(5)});
    CHECK(queues.remove(ticket(5)).empty());
    CHECK(queues.remove(ticket(1)) == Tickets{ticket(4)});
    CHECK(queues.remove(ticket(6)).empty());
    CHECK(queues.remove(ticket(3)).empty());
    CHECK(queues.remove(ticket(4)).empty());
    CHECK(queues.empty());
}

TEST_CASE("sums between all ranks begin one after another, also where they share no link") {
    LinkQueues queues;
    CHECK(queues.add(ticket(0), {{}, to(1)}));
    CHECK_FALSE(queues.add(ticket(1), {{}, to(2)}));
    CHECK(queues.add(ticket(2), {{.connection = 1}, to(2, 1)}));
    CHECK(queues.remove(ticket(0)) == Tickets{ticket(1)});
}

TEST_CASE("exchanges of one turn begin one after another, over any links") {
    LinkQueues queues;
    const auto turn = [](std::int64_t number) { return Lane{.way = Lane::Way::turn, .peer = number}; };
    CHECK(queues.add(ticket(0), {to(1), turn(0)}));
    CHECK_FALSE(queues.add(ticket(1), {from(1), turn(0)}));
    CHECK(queues.add(ticket(2), {to(2), turn(1)}));
    CHECK_FALSE(queues.add(ticket(3), {to(1, 1), turn(0)}));  // another connection
    CHECK(queues.remove(ticket(0)) == Tickets{ticket(1)});
    CHECK(queues.remove(ticket(1)) == Tickets{ticket(3)});
}

TEST_CASE("what is in the way of an exchange is found through all queues") {
    LinkQueues queues;
    queues.add(ticket(0), {to(1)});
    queues.add(ticket(1), {to(2)});
    queues.add(ticket(2), {to(1), to(3)});
    queues.add(ticket(3), {to(3), from(1)});
    queues.add(ticket(4), {from(1)});
    CHECK(queues.up_to(ticket(4)) == std::set{ticket(0), ticket(2), ticket(3), ticket(4)});
    CHECK(queues.up_to(ticket(1)) == std::set{ticket(1)});
    queues.remove(ticket(0));
    CHECK(queues.up_to(ticket(3)) == std::set{ticket(2), ticket(3)});
}

TEST_CASE("whatever is added, every link is used by one at a time, in the order of start, to the end") {
    const auto seed = GENERATE(range(0U, 50U));
    CAPTURE(seed);
    std::mt19937 random(seed);
    LinkQueues queues;
    std::map<Ticket, std::vector<Lane>> lanes;
    std::set<Ticket> running;
    std::map<Lane, Ticket> last;  // that began on a lane
    std::uint64_t next = 0, finished = 0;
    const auto begin = [&](Ticket which) {
        for (const auto other : running) {
            for (const auto& lane : lanes[which]) CHECK(std::ranges::count(lanes[other], lane) == 0);
        }
        for (const auto& lane : lanes[which]) {
            CHECK((!last.contains(lane) || last[lane] < which));
            last[lane] = which;
        }
        running.insert(which);
    };
    while (finished < 200) {
        if (next < 200 && random() % 2 == 0) {
            std::set<Lane> some;
            for (auto count = random() % 4; count > 0; --count) some.insert(to(random() % 5));
            lanes[ticket(next)].assign(some.begin(), some.end());
            if (queues.add(ticket(next), lanes[ticket(next)])) begin(ticket(next));
            ++next;
        } else if (!running.empty()) {
            auto which = running.begin();
            std::advance(which, random() % running.size());
            const auto done = *which;
            running.erase(which);
            for (const auto ready : queues.remove(done)) begin(ready);
            ++finished;
        } else {
            REQUIRE(queues.empty());  // or something waits for nothing
        }
    }
    CHECK(queues.empty());
}
