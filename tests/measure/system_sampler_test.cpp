#include "measure/system_sampler.hpp"

#include <catch2/catch.hpp>
#include <future>
#include <stdexcept>
#include <thread>

using namespace convoy;

TEST_CASE("samples come at the interval, in order, with the traffic so far") {
    std::promise<void> three_taken;
    std::uint64_t calls = 0;
    SystemSampler sampler(3, Seconds(0.002), [&] {
        if (++calls == 3) three_taken.set_value();
        return TrafficTotals{calls * 10, calls};
    });
    REQUIRE(three_taken.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready);
    sampler.stop();
    const auto stopped_us = Microseconds(Clock::now().time_since_epoch()).count();
    const auto samples = sampler.take();
    REQUIRE(samples.size() >= 3);
    double before = 0.0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        CHECK(samples[i].node == 3);
        CHECK(samples[i].time_s > before);
        CHECK(samples[i].resident_bytes > 0);
        CHECK(samples[i].machine_used_bytes > samples[i].resident_bytes / 2);
        CHECK(samples[i].sent_bytes == (i + 1) * 10);
        CHECK(samples[i].received_bytes == i + 1);
        CHECK(samples[i].cpu_user_pct >= 0.0);
        // Both times are of one clock.
        REQUIRE(samples[i].clock_us.has_value());
        CHECK(*samples[i].clock_us <= stopped_us);
        CHECK(*samples[i].clock_us - *samples[0].clock_us ==
              Approx((samples[i].time_s - samples[0].time_s) * 1e6).margin(1.0));
        before = samples[i].time_s;
    }
    CHECK(sampler.take().empty());
}

TEST_CASE("a short run has one sample, and stopping does not wait for the interval") {
    const auto start = Clock::now();
    SystemSampler sampler(0, Seconds(3600.0), [] { return TrafficTotals{}; });
    // Time for the thread to begin its wait, from which stop has to wake it.
    while (Seconds(since(start)).count() < 0.05) std::this_thread::yield();
    sampler.stop();
    CHECK(sampler.take().size() == 1);
    CHECK(Seconds(since(start)).count() < 60.0);
}

TEST_CASE("what goes wrong in the sampler's thread surfaces in stop") {
    std::promise<void> called;
    SystemSampler sampler(0, Seconds(0.001), [&]() -> TrafficTotals {
        called.set_value();
        throw std::runtime_error("no traffic");
    });
    called.get_future().wait();
    CHECK_THROWS_WITH(sampler.stop(), "no traffic");
}

TEST_CASE("the totals of a process grow as it works") {
    const auto used = [] {
        const auto totals = process_totals();
        return totals.cpu_user_s + totals.cpu_system_s;
    };
    const auto deadline = Clock::now() + std::chrono::seconds(60);
    for (const auto before = used(); used() < before + 0.02;) REQUIRE(Clock::now() < deadline);
    CHECK(process_totals().peak_resident_bytes > 1'000'000);
}
