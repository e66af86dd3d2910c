#include "train/learning_rate.hpp"

#include <catch2/catch.hpp>

using namespace convoy;

namespace {

constexpr ScheduleSpan span{.steps_per_epoch = 10, .steps = 100, .nodes = 4};

double factor(const ScheduleSpec& schedule, std::int64_t step) {
    return learning_rate_factor(schedule, span, step);
}

}  // namespace

TEST_CASE("a constant schedule leaves the learning rate alone") {
    for (const int step : {0, 50, 99}) CHECK(factor({}, step) == 1.0);
}

TEST_CASE("a warm-up rises to the base, which may scale with the nodes") {
    const ScheduleSpec schedule{.warm_up_epochs = 0.5, .scale_by_nodes = true};
    CHECK(factor(schedule, 0) == Approx(0.8));
    CHECK(factor(schedule, 4) == Approx(4.0));
    CHECK(factor(schedule, 5) == 4.0);
    CHECK(factor(schedule, 99) == 4.0);
    CHECK(factor({.warm_up_epochs = 0.05}, 0) == 1.0);
}

TEST_CASE("a step schedule falls at the start of every so many epochs") {
    const ScheduleSpec schedule{.name = ScheduleName::step, .every_epochs = 3, .factor = 0.5};
    CHECK(factor(schedule, 29) == 1.0);
    CHECK(factor(schedule, 30) == 0.5);
    CHECK(factor(schedule, 60) == 0.25);
}

TEST_CASE("a cosine schedule goes down by half a wave behind its warm-up") {
    const ScheduleSpec schedule{.name = ScheduleName::cosine, .warm_up_epochs = 2, .final_factor = 0.1};
    CHECK(factor(schedule, 19) == Approx(1.0));
    CHECK(factor(schedule, 20) == Approx(1.0));
    CHECK(factor(schedule, 60) == Approx(0.55));
    CHECK(learning_rate_factor(schedule, span, 100) == Approx(0.1));
}
