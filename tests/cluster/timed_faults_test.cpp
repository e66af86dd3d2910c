#include "cluster/timed_faults.hpp"

#include <array>
#include <catch2/catch.hpp>

using namespace convoy;
using namespace std::chrono_literals;

TEST_CASE("random faults come at their times from the first begin on, each once") {
    const std::array faults{TimedFault{.time_s = 1.0, .node = 2}, TimedFault{.time_s = 1.5, .node = 0}};
    TimedFaults timed(faults);
    const TimePoint now{10s};
    CHECK_FALSE(timed.next_due());
    CHECK_FALSE(timed.take_due(now + 5s));
    timed.begin(now);
    timed.begin(now + 3s);
    CHECK(timed.next_due() == now + 1s);
    CHECK_FALSE(timed.take_due(now + 999ms));
    CHECK(timed.take_due(now + 2s)->node == 2);
    CHECK(timed.take_due(now + 2s)->node == 0);
    CHECK_FALSE(timed.take_due(now + 2s));
    CHECK_FALSE(timed.next_due());
}
