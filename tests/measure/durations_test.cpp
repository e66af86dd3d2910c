#include "measure/durations.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

using namespace convoy;

namespace {

struct Golden {
    int count;
    double total, mean, p05, p50, p99;
};

/// Printed by make_quantiles.py beside this file, with numpy.
constexpr Golden from_numpy[] = {
    {1, 4075.75, 4075.75, 4075.75, 4075.75, 4075.75},
    {2, 14547.625, 7273.8125, 4395.55625, 7273.8125, 10407.91375},
    {3, 22913.125, 7637.708333333333, 4504.725, 8365.5, 10429.7475},
    {100, 675453.75, 6754.5375, 885.4562500000001, 7201.4375, 12387.24375},
    {1000, 6263707.5, 6263.7075, 571.3312500000002, 6432.3125, 12307.26},
};

void draw(Durations& durations, int count) {
    std::uint64_t state = 12345;
    for (int i = 0; i < count; ++i) {
        state = (state * 1103515245 + 12345) % (std::uint64_t{1} << 31U);
        durations.add(static_cast<double>(state % 100000) / 8.0);
    }
}

}  // namespace

TEST_CASE("statistics are numpy's") {
    for (const auto& golden : from_numpy) {
        Durations durations;
        draw(durations, golden.count);
        const auto found = durations.statistics();
        INFO("count " << golden.count);
        CHECK(found.calls == golden.count);
        CHECK(found.total == Approx(golden.total).epsilon(1e-12));
        CHECK(found.mean == Approx(golden.mean).epsilon(1e-12));
        CHECK(found.p05 == Approx(golden.p05).epsilon(1e-12));
        CHECK(found.p50 == Approx(golden.p50).epsilon(1e-12));
        CHECK(found.p99 == Approx(golden.p99).epsilon(1e-12));
    }
}

TEST_CASE("no duration gives zeros") {
    CHECK(Durations().statistics() == DurationStatistics{});
}

TEST_CASE("clear forgets the durations and keeps the room") {
    Durations durations;
    durations.reserve(100);
    draw(durations, 100);
    const auto room = durations.capacity();
    durations.clear();
    CHECK(durations.capacity() == room);
    CHECK(durations.statistics() == DurationStatistics{});
    durations.add(2.0);
    CHECK(durations.statistics() == DurationStatistics{1, 2.0, 2.0, 2.0, 2.0, 2.0});
}

TEST_CASE("the total keeps what a float would lose") {
    Durations durations;
    for (int i = 0; i < 1'000'000; ++i) durations.add(16777216.0 + i % 2);
    CHECK(durations.statistics().total == 16777216.0 * 1e6 + 5e5);
}
