#include "cluster/launcher_clock.hpp"

#include <catch2/catch.hpp>

using namespace convoy;
using namespace std::chrono_literals;

TEST_CASE("time in which the launcher was due and did nothing does not count") {
    const TimePoint begin(1h);
    LauncherClock clock(4s);
    clock.begin(begin);
    clock.advance(begin + 3s, begin + 5s);
    CHECK(clock.now() == begin + 3s);
    clock.advance(begin + 6s, begin + 5s);  // a little late
    CHECK(clock.now() == begin + 6s);
    CHECK_FALSE(clock.last_standstill());
    clock.advance(begin + 10s, begin + 7s);
    CHECK(clock.now() == begin + 7s);
    CHECK(clock.steady() == begin + 10s);
    CHECK(clock.steady_of(begin + 8s) == begin + 11s);
    CHECK(clock.last_standstill() == begin + 7s);
    clock.advance(begin + 60s, std::nullopt);  // it was not due
    CHECK(clock.now() == begin + 57s);
}

TEST_CASE("nodes have given up a launcher that stood still for the deadline, for a while") {
    const TimePoint begin(1h);
    LauncherClock clock(4s);
    clock.begin(begin);
    CHECK_FALSE(clock.was_given_up());
    SECTION("for the deadline") {
        clock.advance(begin + 5s, begin + 1s);
        CHECK(clock.was_given_up());
        CHECK(clock.held_up_nodes());
        CHECK(clock.words_of_standstill() ==
              "the launcher stood still for 4 s, as it was stopped or its machine slept");
        clock.advance(begin + 6900ms, begin + 7s);
        CHECK(clock.was_given_up());
        clock.advance(begin + 7s, begin + 7s);
        CHECK_FALSE(clock.was_given_up());
        CHECK_FALSE(clock.held_up_nodes());
    }
    SECTION("for more than half of it") {
        clock.advance(begin + 3100ms, begin + 1s);
        CHECK_FALSE(clock.was_given_up());
        CHECK(clock.held_up_nodes());
    }
    SECTION("for less") {
        clock.advance(begin + 2500ms, begin + 1s);
        CHECK_FALSE(clock.held_up_nodes());
    }
}
