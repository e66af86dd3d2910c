#include "cluster/pending_faults.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace convoy;
using namespace std::chrono_literals;

TEST_CASE("a node is told the faults of its place at steps to come, and each happens once") {
    PendingFaults faults({{.node = 1, .step = 4, .kind = FaultKind::kill},
                          {.node = 0, .step = 4, .kind = FaultKind::hang},
                          {.node = 1, .step = 9, .kind = FaultKind::slow, .factor = 2.0}},
                         nullptr);
    CHECK(faults.at_steps_of(1).size() == 2);
    const auto taken = faults.take(1, 9);
    REQUIRE(taken);
    CHECK(taken->kind == FaultKind::slow);
    CHECK(taken->factor == 2.0);
    CHECK_FALSE(faults.take(1, 9));
    CHECK(faults.at_steps_of(1).size() == 1);
    CHECK(faults.at_steps_of(0).size() == 1);
    CHECK(faults.at_steps_of(2).empty());
    faults.note_training(TimePoint(1h));
    CHECK_FALSE(faults.next_due());
    CHECK_FALSE(faults.take_due(TimePoint(2h)));
}

TEST_CASE("a fault of a time comes only while all nodes train") {
    const std::vector<TimedFault> random{{.time_s = 1.0, .node = 2, .kind = FaultKind::kill},
                                         {.time_s = 3.0, .node = 0, .kind = FaultKind::term}};
    TimedFaults timed(random);
    PendingFaults faults({}, &timed);
    const TimePoint begin(1h);
    CHECK_FALSE(faults.take_due(begin + 10s));  // no node trains yet
    faults.note_training(begin);
    REQUIRE(faults.next_due());
    CHECK(*faults.next_due() == begin + 1s);
    CHECK_FALSE(faults.take_due(begin + 999ms));
    CHECK(faults.take_due(begin + 1s)->node == 2);
    faults.note_disturbance();
    CHECK_FALSE(faults.next_due());
    CHECK_FALSE(faults.take_due(begin + 4s));
    faults.note_training(begin + 5s);  // its time goes on from the first training
    CHECK(faults.take_due(begin + 5s)->node == 0);
}
