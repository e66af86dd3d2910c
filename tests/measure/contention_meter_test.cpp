#include "measure/contention_meter.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

using namespace convoy;

TEST_CASE("the waiting of threads adds up from the first look") {
    ThreadWaits waits;
    CHECK(waits.total_s() == 0.0);
    waits.look({{1, 5'000'000'000}, {2, 7'000'000'000}});
    CHECK(waits.total_s() == 0.0);
    waits.look({{1, 6'000'000'000}, {2, 7'500'000'000}});
    CHECK(waits.total_s() == Approx(1.5));
}

TEST_CASE("threads that begin and end between looks are not lost") {
    ThreadWaits waits;
    waits.look({{1, 0}});
    waits.look({{1, 0}, {8, 2'000'000'000}});  // began after the first look: all of its waiting counts
    waits.look({{1, 0}});                      // ended
    CHECK(waits.total_s() == Approx(2.0));
    waits.look({{1, 1'000'000'000}, {8, 500'000'000}});  // another thread with the number of the ended one
    CHECK(waits.total_s() == Approx(3.5));
    waits.look({{8, 250'000'000}});  // and one more, between two looks
    CHECK(waits.total_s() == Approx(3.75));
}

TEST_CASE("a meter tells nothing before it begins") {
    ContentionMeter meter;
    meter.look();
    CHECK_FALSE(meter.so_far());
}

TEST_CASE("a meter tells what this process used and the machine knows") {
    ContentionMeter meter;
    meter.begin();
    // Enough for the ticks in which /proc counts.
    std::thread([&meter] {
        const auto start = Clock::now();
        while (since(start) < Seconds(0.05)) meter.look();
    }).join();
    const auto seen = meter.so_far();
    REQUIRE(seen);
    CHECK_FALSE(seen->machine.empty());
    CHECK(seen->elapsed_s >= 0.05);
    CHECK(seen->cpu_s > 0.0);
    CHECK(seen->cores >= 1);
    CHECK(seen->usable_cores >= 1);
    CHECK(seen->machine_busy_s.has_value());
    CHECK(seen->load_at_start.has_value());
    CHECK_FALSE(seen->starter_cpu_s);  // another program started this one
    CHECK_FALSE(seen->host);
    const auto later = meter.so_far();
    CHECK(later->elapsed_s >= seen->elapsed_s);
    CHECK(later->waited_s.value_or(0.0) >= seen->waited_s.value_or(0.0));
}

TEST_CASE("threads that end while a meter looks at them do it no harm") {
    ContentionMeter meter;
    meter.begin();
    std::atomic<bool> stops{false};
    std::vector<std::thread> spawners(2);
    for (auto& spawner : spawners)
        spawner = std::thread([&stops] {
            while (!stops) std::thread([] {}).join();
        });
    for (int look = 0; look < 2000; ++look) meter.look();
    stops = true;
    for (auto& spawner : spawners) spawner.join();
    CHECK(meter.so_far());
}
