#include "measure/idle_times.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>

using namespace convoy;

namespace {

TimePoint at(std::int64_t us) {
    return TimePoint(std::chrono::microseconds(us));
}

std::int64_t us(Clock::duration duration) {
    return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
}

}  // namespace

TEST_CASE("idle time within an interval is that of the parts that lie in it") {
    IdleTimes idle;
    CHECK(us(idle.within({at(0), at(100)})) == 0);
    idle.add({at(10), at(20)});
    idle.add({at(20), at(25)});
    idle.add({at(40), at(50)});
    CHECK(us(idle.within({at(0), at(5)})) == 0);
    CHECK(us(idle.within({at(0), at(10)})) == 0);
    CHECK(us(idle.within({at(0), at(15)})) == 5);
    CHECK(us(idle.within({at(15), at(22)})) == 7);
    CHECK(us(idle.within({at(15), at(45)})) == 15);
    CHECK(us(idle.within({at(25), at(40)})) == 0);
    CHECK(us(idle.within({at(30), at(100)})) == 10);
    CHECK(us(idle.within({at(0), at(100)})) == 25);
    CHECK(us(idle.within({at(100), at(0)})) == 0);
    idle.clear();
    CHECK(us(idle.within({at(0), at(100)})) == 0);
}

TEST_CASE("idle times of a step without end are kept for the last of them") {
    IdleTimes idle;
    constexpr std::int64_t count = 100'000, kept = 4096;
    for (std::int64_t i = 0; i < count; ++i) idle.add({at(10 * i), at(10 * i + 3)});
    CHECK(us(idle.within({at(10 * (count - kept)), at(10 * count)})) == 3 * kept);
    CHECK(us(idle.within({at(0), at(10 * count)})) <= 3 * 2 * kept);
    CHECK(us(idle.within({at(0), at(5)})) == 0);
}
