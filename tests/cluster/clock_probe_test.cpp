#include <catch2/catch.hpp>

#include "cluster/clock_probe.hpp"

using namespace std::chrono_literals;
using convoy::clock_us;
using convoy::ClockProbe;
using convoy::TimePoint;

TEST_CASE("the offset comes from the exchange with the shortest round trip") {
    ClockProbe probe;
    const TimePoint start{1h};
    // The other clock is 5000 us behind; the first exchange is slow on one way only, which would mislead.
    const auto slow = probe.ask(start);
    const auto fast = probe.ask(start + 2ms);
    CHECK(probe.answer(slow, clock_us(start + 900us) - 5000, start + 1ms));
    CHECK(probe.best()->offset_us == Approx(4600));
    CHECK(probe.answer(fast, clock_us(start + 2ms + 50us) - 5000, start + 2ms + 100us));
    CHECK(probe.best()->offset_us == Approx(5000));
    CHECK(probe.best()->round_trip_us == Approx(100));

    const auto slower = probe.ask(start + 5ms);
    CHECK(probe.answer(slower, 0, start + 9ms));
    CHECK(probe.best()->offset_us == Approx(5000));
}

TEST_CASE("answers to nothing asked are ignored") {
    ClockProbe probe;
    const TimePoint start{1h};
    CHECK_FALSE(probe.answer(1, 0, start));
    const auto number = probe.ask(start);
    probe.restart();
    CHECK_FALSE(probe.answer(number, 0, start));
    CHECK_FALSE(probe.best());
    const auto next = probe.ask(start);
    CHECK(next != number);
    CHECK(probe.answer(next, 0, start + 1us));
    CHECK_FALSE(probe.answer(next, 0, start + 1us));
}
