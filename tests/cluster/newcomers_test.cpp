#include "cluster/newcomers.hpp"

#include <catch2/catch.hpp>

using namespace convoy;
using namespace std::chrono_literals;

namespace {

constexpr TimePoint start{1h};
using Numbers = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a process is started for an empty place at once, and joins when it has said hello") {
    Newcomers newcomers(3, 2);
    CHECK_FALSE(newcomers.next_due());
    REQUIRE(newcomers.wait_for(1, 10, start));
    CHECK(newcomers.next_due() == start);
    CHECK(newcomers.take_due(start) == Numbers{1});
    CHECK(newcomers.take_due(start).empty());
    CHECK(newcomers.awaits_connection(1));
    newcomers.started(1, 4711, start + 30s);
    CHECK(newcomers.next_due() == start + 30s);
    CHECK(newcomers.take_overdue(start + 29s).empty());
    newcomers.connected(1, 9);
    CHECK_FALSE(newcomers.awaits_connection(1));
    CHECK(newcomers.place_of(9) == 1);
    CHECK_FALSE(newcomers.is_any_ready());
    CHECK(newcomers.take_ready().empty());
    CHECK(newcomers.take_overdue(start + 30s) == Numbers{1});
    CHECK(newcomers.take_overdue(start + 31s).empty());
    newcomers.said_hello(9);
    REQUIRE(newcomers.is_any_ready());
    CHECK(newcomers.started_places() == Numbers{1});
    const auto ready = newcomers.take_ready();
    REQUIRE(ready.size() == 1);
    CHECK(ready[0].place == 1);
    CHECK(ready[0].pid == 4711);
    CHECK(ready[0].connection == 9);
    CHECK_FALSE(newcomers.is_started(1));
    CHECK_FALSE(newcomers.place_of(9));
}

TEST_CASE("a process that fails before it joins is started again after a pause, so many times") {
    Newcomers newcomers(2, 2);
    const auto fail = [&](TimePoint now) {
        CHECK(newcomers.take_due(now) == Numbers{0});
        newcomers.connected(0, 5);
        newcomers.ended(0);
        CHECK_FALSE(newcomers.place_of(5));
    };
    REQUIRE(newcomers.wait_for(0, 10, start));
    fail(start);
    REQUIRE(newcomers.wait_for(0, 10, start));
    CHECK(newcomers.next_due() == start + 1s);
    CHECK(newcomers.take_due(start).empty());
    fail(start + 1s);
    CHECK_FALSE(newcomers.wait_for(0, 10, start));
    CHECK_FALSE(newcomers.next_due());
    // A run that has got on counts anew.
    CHECK(newcomers.wait_for(0, 11, start));
}

TEST_CASE("places are apart") {
    Newcomers newcomers(3, 1);
    newcomers.wait_for(0, 10, start);
    newcomers.wait_for(2, 10, start);
    CHECK(newcomers.take_due(start) == Numbers{0, 2});
    newcomers.connected(0, 5);
    newcomers.connected(2, 6);
    newcomers.said_hello(6);
    CHECK(newcomers.take_ready().front().place == 2);
    CHECK(newcomers.started_places() == Numbers{0});
    newcomers.said_hello(5);
    CHECK(newcomers.take_ready().front().place == 0);
}
