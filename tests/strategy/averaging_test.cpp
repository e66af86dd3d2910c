#include "strategy/averaging.hpp"

#include <catch2/catch.hpp>

#include "nn/network.hpp"
#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

TEST_CASE("moving statistics are averaged as they are, whatever gradients travel as") {
    const ModelSpec model{.name = "inline",
                          .input = {1, 4, 4},
                          .layers = {{"norm", BatchNormLayer{}},
                                     {"flat", FlattenLayer{}},
                                     {"dense", DenseLayer{.units = 2, .activation = Activation::softmax}}}};
    const auto graph = training_graph(model, Sgd{}, model.input, 2);
    const auto average =
        averaging_program(graph, {.wire_type = WireType::float16}, {}, {.rank = 0, .world_size = 2});
    CHECK(average.operators.at(0).as<ExchangeAttributes>().exchange.options.wire_type == WireType::float32);
    CHECK(averaging_program(graph, {.wire_type = WireType::top_k}, {}, {.rank = 0, .world_size = 2}) ==
          average);
    const auto independent = plans_for(spec_for(2, 8, {.name = StrategyName::independent}), graph, 8)[0];
    CHECK(independent.routine.before_evaluation.empty());
}

TEST_CASE("moving statistics are brought to their mean in one bucket, each once") {
    const auto graph = small_resnet();
    std::vector<Program> programs;
    for (std::int64_t rank = 0; rank < 4; ++rank)
        programs.push_back(averaging_program(graph, {}, {}, {.rank = rank, .world_size = 4}));
    REQUIRE(programs.size() == 4);
    for (const auto& program : programs) {
        CHECK(program.kind == ProgramKind::average);
        CHECK(short_text(program) == Lines{"CollectiveReduceStart moving_statistics",
                                           "CollectiveReduce moving_statistics", "Mul moving_statistics"});
        CHECK(program.operators.back().as<ScaleAttributes>().factor == 0.25);
        REQUIRE(program.buckets.size() == 1);
        CHECK(program.buckets[0].tensors.size() == 2 * 10);
        std::int64_t elements = 0;
        for (const auto id : program.buckets[0].tensors) elements += program.tensor(id).shape.elements();
        CHECK(elements == graph.parameter_elements() - graph.trained_elements());
    }
}

TEST_CASE("with unequal shares each node has its part of the examples in a mean") {
    auto spec = spec_for(3, 10, {.balance = {BalanceBy::weights, {1.0, 1.0, 0.5}}});
    const auto graph = small_resnet();
    const auto plans = plans_for(spec, graph, 20);
    const auto part = [](const Program& program) {
        return program.operators.front().as<ScaleAttributes>().factor;
    };
    const auto statistics = [](const NodePlan& plan) {
        return plan.programs.at(plan.routine.before_evaluation.at(0));
    };
    CHECK(part(statistics(plans[0])) == Approx(0.4));
    CHECK(part(statistics(plans[2])) == Approx(0.2));
    CHECK(short_text(statistics(plans[0])) ==
          Lines{"Mul moving_statistics", "CollectiveReduce moving_statistics"});
    spec.strategy.name = StrategyName::local_sgd;
    const auto alone = plans_for(spec, mnist_cnn(), 20);
    CHECK(part(alone[1].programs.at(alone[1].routine.average.at(0))) == Approx(0.4));
}

TEST_CASE("one node, or a network without moving statistics, has nothing to bring to a mean") {
    const auto prepares = [](std::size_t nodes, const Graph& of) {
        return plans_for(spec_for(nodes, 8), of, 8)[0].routine.before_evaluation.size();
    };
    CHECK(prepares(2, small_resnet()) == 1);
    CHECK(prepares(1, small_resnet()) == 0);
    CHECK(prepares(2, mnist_cnn()) == 0);
}
