#include "report/run_record.hpp"

#include <catch2/catch.hpp>

#include "example_run.hpp"

using namespace convoy;

TEST_CASE("an epoch's scores are sums over nodes divided once") {
    const auto epochs = results_of(example_run()).epochs;
    REQUIRE(epochs.size() == 1);
    EpochRecord expected;
    expected.epoch = 1;
    expected.train_loss = (50.0 + 150.0) / 60;
    expected.train_accuracy = 16.0 / 60;
    expected.test_loss = 0.8;
    expected.test_accuracy = 0.8;
    expected.train_s = 2.5;
    expected.evaluate_s = 0.25;
    CHECK(epochs[0] == expected);
}

TEST_CASE("an epoch takes as long as on the slowest node that has examples, in any order of nodes") {
    const auto row = [](std::int64_t node, std::int64_t examples, double train_s) {
        NodeEpochRecord record;
        record.node = node;
        record.epoch = 2;
        record.train.examples = examples;
        record.train_s = train_s;
        record.evaluate_s = train_s / 2;
        return record;
    };
    const auto train_s = [](const std::vector<NodeEpochRecord>& rows) {
        NodeEpochRecord sums;
        for (const auto& each : rows) add_to(sums, each);
        CHECK(sums.evaluate_s == sums.train_s / 2);
        return sums.train_s;
    };
    CHECK(train_s({row(0, 10, 2.0), row(1, 10, 3.0), row(2, 0, 9.0)}) == 3.0);
    CHECK(train_s({row(2, 0, 9.0), row(1, 10, 3.0), row(0, 10, 2.0)}) == 3.0);
    CHECK(train_s({row(0, 0, 2.0), row(1, 0, 3.0)}) == 3.0);
}

TEST_CASE("results are in order of nodes, whatever order the records came in") {
    const auto results = results_of(example_run());
    CHECK(results.summaries.at(0).node == 0);
    CHECK(results.operators.front().node == 0);
    CHECK(results.operators.back().node == 1);
    CHECK(results.operators.at(1).operator_name == "Conv2D");
    CHECK(results.steps.at(0).step == 1);
    CHECK(results.steps.at(1).step == 2);
    CHECK(results.system.at(3).time_s == 0.4);
}
