#include "cluster/step_gate.hpp"

#include <catch2/catch.hpp>

#include "cluster/common_step.hpp"

using namespace convoy;

TEST_CASE("steps begin until all nodes stop after a common one") {
    StepGate gate;
    CHECK(gate.is_decided());
    CHECK(gate.begin(1) == StepAnswer::begin);
    CHECK(gate.begin(2) == StepAnswer::begin);
    CHECK(gate.ask_to_stop() == 2);
    CHECK_FALSE(gate.is_decided());
    gate.stop_after(3);
    CHECK(gate.is_decided());
    CHECK(gate.begin(3) == StepAnswer::begin);
    CHECK(gate.begin(4) == StepAnswer::stop);
}

TEST_CASE("nodes stand still after a common step, and go on when that is forgotten") {
    StepGate gate;
    CHECK(gate.ask_to_pause() == 0);
    CHECK_FALSE(gate.is_decided());
    gate.pause_after(1);
    CHECK(gate.begin(1) == StepAnswer::begin);
    CHECK(gate.begin(2) == StepAnswer::stand_still);
    gate.forget_pause();
    CHECK(gate.begin(2) == StepAnswer::begin);
    CHECK(gate.ask_to_pause() == 2);
    CHECK_FALSE(gate.is_decided());  // the common step of the last time does not count
    gate.forget_pause();
    CHECK(gate.is_decided());
}

TEST_CASE("the common step is the largest that any node has begun, and is told once") {
    CommonStep step(3);
    CHECK_FALSE(step.answer(0, 4));
    CHECK_FALSE(step.answer(2, 5));
    CHECK_FALSE(step.answer(2, 5));
    CHECK(step.answer(1, 4) == 5);
    CHECK_FALSE(step.answer(1, 4));
}
