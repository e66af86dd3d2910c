#include "strategy/model_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "graph/clipping.hpp"
#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

using Stages = std::vector<std::vector<std::string>>;

const Stages two_stages{{"conv2d_1", "conv2d_2", "max_pool_1", "dropout_1", "flatten_1"},
                        {"dense_1", "dropout_2", "dense_2"}};

ExperimentSpec split(const Stages& stages) {
    ExperimentSpec spec;
    spec.model.name = "mnist_cnn";
    spec.nodes.resize(2);
    spec.batch_size = 4;
    spec.strategy = {.name = StrategyName::model_split, .stages = {.layers = stages}};
    return spec;
}

Lines transfers_of(const Program& program) {
    Lines lines;
    for (const auto& op : program.operators) {
        if (op.kind != OperatorKind::exchange) continue;
        const auto& exchange = op.as<ExchangeAttributes>().exchange;
        lines.push_back(fmt::format("{} {} {}", exchange.verb == ExchangeVerb::send ? "send" : "receive",
                                    exchange.root, op.name));
    }
    return lines;
}

}  // namespace

TEST_CASE("all stages take the same batches, and an activation and its gradient cross the cut") {
    CHECK(replicas_of_stages(split(two_stages)) == std::vector<std::int64_t>{0, 0});
    const auto plans = plans_for(split(two_stages), mnist_cnn(), 8, 4);
    REQUIRE(plans.size() == 2);
    CHECK(plans[0].role == "stage 1 of 2");
    CHECK(step_of(plans[0]).batch == 4);
    CHECK(step_of(plans[1]).batch == 4);
    const auto first = transfers_of(step_of(plans[0]));
    const auto second = transfers_of(step_of(plans[1]));
    REQUIRE(first.size() == 2);
    REQUIRE(second.size() == 2);
    CHECK(first[0].starts_with("send 1 "));
    CHECK(first[1].starts_with("receive 1 "));
    CHECK(second[0].starts_with("receive 0 "));
    CHECK(second[1].starts_with("send 0 "));
    CHECK(first[0].substr(7) == second[0].substr(10));
    // 4 examples of 64 x 12 x 12 values
    CHECK(first[0].ends_with(".message_of_36864"));
    CHECK(plans[0].links == Links{{1}, {1}, 1});
}

TEST_CASE("each stage holds, saves and keeps the parameters of its layers") {
    const auto plans = plans_for(split(two_stages), mnist_cnn(), 8);
    for (const auto& parameter : plans[0].parameters) {
        CHECK(parameter.part.has_value() == parameter.value.name.starts_with("conv2d"));
        CHECK(parameter.saved == parameter.part.has_value());
    }
    for (const auto& parameter : plans[1].parameters)
        CHECK(parameter.part.has_value() == parameter.value.name.starts_with("dense"));
    CHECK(std::ranges::count(step_of(plans[0]).operators, Pass::update, &Operator::pass) == 4);
    CHECK(std::ranges::count(step_of(plans[1]).operators, Pass::update, &Operator::pass) == 4);
}

TEST_CASE("the last stage computes the loss") {
    const auto plans = plans_for(split(two_stages), mnist_cnn(), 8);
    const auto losses = [](const Program& program) {
        return std::ranges::count(program.operators, OperatorKind::softmax_cross_entropy, &Operator::kind);
    };
    CHECK(losses(step_of(plans[0])) == 0);
    CHECK(losses(step_of(plans[1])) == 1);
}

TEST_CASE("stages name each layer once") {
    auto missing = two_stages;
    missing[1].pop_back();
    CHECK_THROWS_WITH(plans_for(split(missing), mnist_cnn(), 8), Catch::Contains("dense_2 is in no stage"));
    auto unknown = two_stages;
    unknown[0].push_back("conv2d_9");
    CHECK_THROWS_WITH(plans_for(split(unknown), mnist_cnn(), 8), Catch::Contains("no layer \"conv2d_9\""));
    auto twice = two_stages;
    twice[1].push_back("conv2d_1");
    CHECK_THROWS_WITH(plans_for(split(twice), mnist_cnn(), 8), Catch::Contains("$.strategy.stages[1][3]"));
}

TEST_CASE("each stage adds the squares of its own gradients to the global norm") {
    auto graph = mnist_cnn();
    clip_gradients(graph, {ClipBy::global_norm, 1.0});
    std::size_t gradients = 0;
    for (const auto& plan : plans_for(split(two_stages), graph, 8)) {
        const auto& program = plan.programs.at(plan.routine.steps.at(0).first.at(0));
        const auto& operators = program.operators;
        CHECK(std::ranges::count(operators, OperatorKind::global_norm, &Operator::kind) == 0);
        const auto squares = std::ranges::find(operators, OperatorKind::squared_norm, &Operator::kind);
        REQUIRE(operators.end() - squares > 2);
        gradients += squares->inputs.size();
        const auto& sum = (squares + 1)->as<ExchangeAttributes>().exchange;
        CHECK(sum.verb == ExchangeVerb::all_reduce);
        CHECK(sum.group == std::vector<std::int64_t>{0, 1});
        CHECK((squares + 2)->kind == OperatorKind::square_root);
        const auto held = std::ranges::count_if(
            plan.parameters, [](const HeldParameter& parameter) { return parameter.part.has_value(); });
        CHECK(std::ranges::count(operators, OperatorKind::clip_by_global_norm, &Operator::kind) == held);
    }
    CHECK(gradients == graph.parameters.size());
}

TEST_CASE("a stage reads only the data that its layers use") {
    const Stages three_stages{{"conv2d_1", "conv2d_2", "max_pool_1"},
                              {"dropout_1", "flatten_1"},
                              {"dense_1", "dropout_2", "dense_2"}};
    auto spec = split(three_stages);
    spec.nodes.resize(3);
    const auto plans = plans_for(spec, mnist_cnn(), 8, 4);
    REQUIRE(plans.size() == 3);
    CHECK(plans[0].data == DataRole{.values = true});
    CHECK(plans[1].data == DataRole{.numbers = true});
    CHECK(plans[2].data == DataRole{.labels = true, .numbers = true});
    const auto read_by = [](const Program& program) {
        Lines names;
        for (const auto& op : program.operators)
            if (op.kind == OperatorKind::dataset) names.push_back(op.name);
        return names;
    };
    CHECK(read_by(step_of(plans[0])) == Lines{"batch"});
    CHECK(read_by(step_of(plans[1])) == Lines{"example numbers"});
    CHECK(read_by(step_of(plans[2])) == Lines{"labels", "example numbers"});
    const auto evaluation = [](const NodePlan& plan) {
        return plan.programs.at(plan.routine.evaluations.at(0).at(0).at(0));
    };
    CHECK(read_by(evaluation(plans[0])) == Lines{"batch"});
    CHECK(read_by(evaluation(plans[1])).empty());
    CHECK(read_by(evaluation(plans[2])) == Lines{"labels"});
}

TEST_CASE("a stage without data and without dropout reads nothing") {
    const Stages three_stages{{"conv2d_1"},
                              {"conv2d_2", "max_pool_1"},
                              {"dropout_1", "flatten_1", "dense_1", "dropout_2", "dense_2"}};
    auto spec = split(three_stages);
    spec.nodes.resize(3);
    const auto plans = plans_for(spec, mnist_cnn(), 8, 4);
    CHECK(plans[1].data == DataRole{});
    for (const auto& program : plans[1].programs)
        CHECK(std::ranges::count(program.operators, OperatorKind::dataset, &Operator::kind) == 0);
}

TEST_CASE("nodes of one stage sum their gradients over the replicas, and stages send within a replica") {
    auto spec = split(two_stages);
    spec.nodes.resize(6);
    spec.batch_size = 12;
    spec.strategy.replicas = 3;
    CHECK(replicas_of_stages(spec) == std::vector<std::int64_t>{0, 0, 1, 1, 2, 2});
    const auto plans = plans_for(spec, mnist_cnn(), 24, 12);
    REQUIRE(plans.size() == 6);
    CHECK(plans[3].role == "stage 2 of 2, replica 2 of 3");
    CHECK(step_of(plans[3]).batch == 4);
    const auto received = transfers_of(step_of(plans[3]));
    CHECK(received.at(0).starts_with("receive 2 "));
    std::size_t sums = 0;
    for (const auto& op : step_of(plans[3]).operators) {
        if (op.kind != OperatorKind::exchange_wait) continue;
        ++sums;
        CHECK(op.as<ExchangeAttributes>().exchange.group == std::vector<std::int64_t>{1, 3, 5});
    }
    CHECK(sums > 0);
    CHECK(held_by(plans[1], "dense_1.weight").saved);
    CHECK_FALSE(held_by(plans[3], "dense_1.weight").saved);
    CHECK_FALSE(held_by(plans[2], "dense_1.weight").part);
}

TEST_CASE("replicas refuse batches that leave one without examples, and moving statistics of their own") {
    auto spec = split(two_stages);
    spec.nodes.resize(4);
    spec.strategy.replicas = 2;
    CHECK_THROWS_WITH(plans_for(spec, mnist_cnn(), 5),
                      Catch::Contains("every replica needs an example of each batch"));
    spec.model.name = "resnet_v2";
    spec.strategy.stages = {.layers = {}, .count = 2};
    CHECK_THROWS_WITH(plans_for(spec, small_resnet(), 8), Catch::Contains("synchronised"));
}
