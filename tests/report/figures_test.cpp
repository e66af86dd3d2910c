#include "report/figures.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "example_run.hpp"

using namespace convoy;

TEST_CASE("a cluster's step has the slowest time and the loss over all examples") {
    const auto steps = cluster_steps(results_of(example_run()).steps, 2);
    REQUIRE(steps.size() == 2);
    CHECK(steps[0].step == 1);
    CHECK(steps[0].examples == 30);
    CHECK(steps[0].loss == Approx((10 * 2.0 + 20 * 3.0) / 30));
    CHECK(steps[0].step_us == 2000);
    CHECK(steps[1].step_us == 500);
}

TEST_CASE("speed is examples over time, and its median that of the steps") {
    const auto figures = step_figures(results_of(example_run()).steps, 2);
    REQUIRE(figures.has_value());
    CHECK(figures->step_us.mean == 1250);
    CHECK(figures->examples_per_second_mean == Approx(60 / 2500e-6));
    CHECK(figures->examples_per_second_p50 == Approx((30 / 2000e-6 + 30 / 500e-6) / 2));
    CHECK_FALSE(step_figures({}, 1).has_value());
}

TEST_CASE("the warm-up is left out of speeds, a quarter of the steps at most") {
    std::vector<StepRecord> steps;
    for (std::int64_t step = 1; step <= 20; ++step) {
        steps.push_back({0, 1, step, 1.0, 0, 10, step <= 5 ? 1000.0 : 100.0, 0, 0});
    }
    CHECK(step_figures(std::vector(steps.begin(), steps.begin() + 8), 1)->step_us.calls == 6);
    CHECK(step_figures(std::vector(steps.begin(), steps.begin() + 3), 1)->step_us.calls == 3);
    steps.push_back({0, 1, 21, 1.0, 0, 10, 100.0, 0, 0});
    const auto figures = step_figures(steps, 1);
    CHECK(figures->step_us.calls == 16);
    CHECK(figures->step_us.mean == 100);
    CHECK(figures->examples_per_second_mean == Approx(1e5));
}

TEST_CASE("steps of servers, which stand behind the nodes, do not count") {
    const auto step_of = [](std::int64_t node, std::int64_t step, std::int64_t examples, double us) {
        return StepRecord{node, 1, step, 1.0, 0, examples, us, 0, 0};
    };
    const std::vector steps{step_of(0, 1, 10, 100.0), step_of(1, 1, 10, 120.0), step_of(2, 1, 0, 300.0),
                            step_of(0, 2, 10, 110.0), step_of(1, 2, 10, 100.0), step_of(2, 2, 0, 1.0)};
    const auto of_workers = step_figures(steps, 2).value();
    CHECK(of_workers.step_us.mean == 115.0);
    CHECK(of_workers.examples_per_second_mean == Approx(40 / 220e-6));
    CHECK(step_figures(steps, 3)->step_us.mean == 205.0);
}

TEST_CASE("ranks that are gone since a run went on with fewer nodes count, as they have examples") {
    const std::vector<StepRecord> steps{{0, 1, 1, 1.0, 0, 10, 100.0, 0, 0},
                                        {1, 1, 1, 1.0, 0, 10, 200.0, 0, 0},
                                        {0, 1, 2, 1.0, 0, 20, 150.0, 0, 0}};
    CHECK(server_ranks(steps, 1).empty());
    CHECK(cluster_steps(steps, 1).at(0).examples == 20);
    CHECK(cluster_steps(steps, 1).at(0).step_us == 200.0);
}

TEST_CASE("a node without examples does not count into the loss") {
    const auto steps =
        cluster_steps({{0, 1, 1, 2.0, 0, 10, 1, 1, 0}, {1, 1, 1, std::nan(""), 0, 0, 1, 1, 0}}, 2);
    CHECK(steps.at(0).loss == 2.0);
}

TEST_CASE("phases are those of the slowest node") {
    const auto phases = phase_times(results_of(example_run()).summaries, 2);
    CHECK(phases.train_s == 2.5);
    CHECK(phases.total_s == 3.5);
    CHECK(phases.read_s == 0.5);
    CHECK(phases.fetch_s == 0.0);
}

TEST_CASE("time to accuracy is of all epochs up to the first that reached it") {
    std::vector<EpochRecord> epochs(3);
    for (std::int64_t i = 0; i < 3; ++i) {
        auto& epoch = epochs[static_cast<std::size_t>(i)];
        epoch.epoch = i + 1;
        epoch.train_s = 10.0;
        epoch.evaluate_s = 1.0;
    }
    epochs[0].test_accuracy = 0.97;
    epochs[1].test_accuracy = 0.98;
    epochs[2].test_accuracy = 0.96;
    epochs[2].validation_accuracy = 0.99;
    const auto test = time_to_accuracy(epochs, {0.98, "test"});
    REQUIRE(test);
    CHECK(test->epoch == 2);
    CHECK(test->seconds == 22.0);
    CHECK(time_to_accuracy(epochs, {0.99, "validation"})->epoch == 3);
    CHECK_FALSE(time_to_accuracy(epochs, {0.981, "test"}));
}

TEST_CASE("the wait for data is the mean over nodes of what Dataset took in training") {
    RunResults results;
    results.nodes = 2;
    const auto add = [&results](std::int64_t node, RunPhase phase, const char* name, double total_us) {
        OperatorRecord row;
        row.node = node;
        row.phase = phase;
        row.operator_name = name;
        row.total_us = total_us;
        results.operators.push_back(row);
    };
    add(0, RunPhase::train, "Dataset", 10.0);
    add(0, RunPhase::train, "Dataset", 20.0);  // another epoch
    add(1, RunPhase::train, "Dataset", 50.0);
    add(1, RunPhase::train, "_CopyBatch", 1000.0);
    add(0, RunPhase::evaluate, "Dataset", 1000.0);
    CHECK(data_wait_us(results, 0) == 30.0);
    CHECK(mean_data_wait_us(results) == 40.0);
    CHECK(mean_data_wait_us({}) == 0.0);
}

TEST_CASE("communication is summed per node") {
    const auto results = results_of(example_run());
    CHECK(communication_of(results.operators, 0) == CommunicationTimes{400, 300, 200, 50, 25});
    CHECK(communication_of(results.operators, 1) == CommunicationTimes{400, 300, 400, 50, 25});
    CHECK(communication_of(results.operators, 2) == CommunicationTimes{});
}
