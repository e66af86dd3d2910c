#include <algorithm>
#include <catch2/catch.hpp>

#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

TEST_CASE("evaluation exchanges nothing, and a node without examples only asks for its batch") {
    const auto plans =
        plans_for(spec_for(2, 8), mnist_cnn(), 8, 129);  // evaluated in 64 and 64, then 1 and 0
    for (const auto& plan : plans) {
        REQUIRE(plan.routine.evaluations.size() == 1);
        REQUIRE(plan.routine.evaluations[0].size() == 2);
    }
    const auto program = [&](std::size_t rank, std::size_t split) {
        return plans[rank].programs.at(plans[rank].routine.evaluations[0][split].at(0));
    };
    CHECK(program(0, 0).kind == ProgramKind::evaluate);
    CHECK(program(0, 0).batch == 64);
    CHECK(program(0, 1).batch == 1);
    CHECK(std::ranges::count(program(0, 0).operators, Pass::communication, &Operator::pass) == 0);
    CHECK(program(0, 0).operators.back().kind == OperatorKind::softmax);
    REQUIRE(program(1, 1).operators.size() == 1);
    CHECK(program(1, 1).operators[0].kind == OperatorKind::dataset);
}

TEST_CASE("a node reads no data if it never has an example") {
    const auto plans = plans_for(spec_for(2, 1), mnist_cnn(), 2);  // one example in each batch
    CHECK(plans[0].data == DataRole{.values = true, .labels = true, .numbers = true});
    CHECK(plans[1].data == DataRole{});
    CHECK(plans_for(spec_for(2, 1), mnist_cnn(), 2, 65)[1].data == DataRole{.values = true, .labels = true});
}

TEST_CASE("compiling is a pure function, and programs go by the split of a batch") {
    const auto spec = spec_for(2, 5);
    const auto plans = plans_for(spec, mnist_cnn(), 9);  // 3 and 2, then 2 and 2
    CHECK(plans == plans_for(spec, mnist_cnn(), 9));
    for (const auto& plan : plans) {
        REQUIRE(plan.routine.steps.size() == 2);
        CHECK(plan.programs.at(plan.routine.steps[1].first.at(0)).batch == 2);
        CHECK(plan.programs.at(0).layout_batch == 3);
    }
    CHECK(plans[0].programs.at(plans[0].routine.steps[0].first.at(0)).batch == 3);
    CHECK(plans[1].programs.at(plans[1].routine.steps[0].first.at(0)).batch == 2);
}

TEST_CASE("rank 0 saves the weights, and each node keeps its own where they differ") {
    const auto held = [](const StrategySpec& strategy, std::size_t rank) {
        return plans_for(spec_for(2, 8, strategy), mnist_cnn(), 8)[rank].parameters.at(0);
    };
    CHECK(held({}, 0).saved);
    CHECK_FALSE(held({}, 1).saved);
    CHECK(held({}, 1).alike);
    CHECK_FALSE(held({}, 1).kept);
    CHECK(held({.name = StrategyName::local_sgd}, 1).kept);
    CHECK(held({.name = StrategyName::local_sgd}, 1).start_alike);
    CHECK_FALSE(held({.name = StrategyName::local_sgd}, 1).alike);
}

TEST_CASE("scores are summed only where a decision needs them") {
    auto spec = spec_for(2, 8);
    CHECK(plans_for(spec, mnist_cnn(), 8)[0].routine.scores.empty());
    spec.target = TargetSpec{.accuracy = 0.9, .split = EvaluatedSplit::test, .stop = true};
    const auto plan = plans_for(spec, mnist_cnn(), 8, 8)[1];
    REQUIRE(plan.routine.scores.size() == 1);
    const auto& program = plan.programs.at(plan.routine.scores[0]);
    REQUIRE(program.operators.size() == 1);
    CHECK(program.operators[0].kind == OperatorKind::exchange);
    CHECK(program.buckets.at(0).elements == 2);
}
