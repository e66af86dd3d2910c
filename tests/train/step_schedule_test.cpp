#include "train/step_schedule.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace convoy;

namespace {

/// Ten examples for two replicas, in batches of four: an epoch has three steps, the last of two examples.
DataPlan plan_of(const ExperimentSpec& spec) {
    return data_plan(spec, {.train = 10, .validation = 0, .test = 0}, std::vector<std::int64_t>{0, 1});
}

ExperimentSpec spec_of(std::int64_t epochs) {
    ExperimentSpec spec;
    spec.batch_size = 4;
    spec.epochs = epochs;
    spec.nodes.resize(2);
    spec.seed = 7;
    return spec;
}

}  // namespace

TEST_CASE("a step has an epoch, a place in it, and the examples of its batch") {
    const auto spec = spec_of(2);
    const auto data = plan_of(spec);
    const StepSchedule schedule(spec, data);
    REQUIRE(schedule.steps() == 6);
    REQUIRE(schedule.steps_per_epoch() == 3);
    CHECK(schedule.epoch_behind(2) == 1);
    CHECK(schedule.epoch_behind(3) == 2);
    CHECK(schedule.step_of_epoch(5) == 2);
    const auto context = schedule.context(5);
    CHECK(context.seed == 7);
    CHECK(context.epoch == 1);
    CHECK(context.step == 5);
    CHECK(context.global_examples == 2);
    CHECK(context.learning_rate_factor == 1.0);
}

TEST_CASE("checkpoints are due behind every so many steps, but not at the ends of the run") {
    auto spec = spec_of(2);
    const auto data = plan_of(spec);
    CHECK_FALSE(StepSchedule(spec, data).checkpoint_is_due(2));
    spec.checkpoints.emplace().every_steps = 2;
    const StepSchedule schedule(spec, data);
    for (const std::int64_t done : {0, 1, 3, 5, 6}) CHECK_FALSE(schedule.checkpoint_is_due(done));
    for (const std::int64_t done : {2, 4}) CHECK(schedule.checkpoint_is_due(done));
}

TEST_CASE("nodes wait for each other at the next checkpoint, or at the end of the epoch") {
    auto spec = spec_of(2);
    const auto data = plan_of(spec);
    CHECK(StepSchedule(spec, data).next_agreed_step(0) == 3);
    CHECK(StepSchedule(spec, data).next_agreed_step(3) == 6);
    spec.checkpoints.emplace().every_steps = 2;
    const StepSchedule schedule(spec, data);
    for (const auto& [done, agreed] : {std::pair{0, 2}, {1, 2}, {2, 3}, {3, 4}, {4, 6}, {5, 6}})
        CHECK(schedule.next_agreed_step(done) == agreed);
}

TEST_CASE("the update of a message counts by its worker's share of that step's batch") {
    auto spec = spec_of(2);
    spec.schedule.warm_up_epochs = 2;  // six steps
    const auto data = plan_of(spec);
    const StepSchedule schedule(spec, data);
    const auto context = schedule.context_of_message(1, 4);  // the first step of the second epoch
    CHECK(context.epoch == 1);
    CHECK(context.step == 0);
    CHECK(context.global_examples == 4);
    CHECK(context.learning_rate_factor == Approx(4.0 / 6 * 0.5));
    CHECK(schedule.context_of_message(0, 1).learning_rate_factor == Approx(1.0 / 6 * 0.5));
}
