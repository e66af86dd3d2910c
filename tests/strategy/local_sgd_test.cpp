#include "strategy/local_sgd.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

TEST_CASE("independent nodes exchange nothing and average over their own examples") {
    const auto programs = compile_for({5, 3, 0}, {.name = StrategyName::independent});
    for (const auto& program : programs) {
        CHECK(program.averages_over == AveragesOver::own_examples);
        CHECK(program.buckets.empty());
        CHECK(std::ranges::count(program.operators, Pass::communication, &Operator::pass) == 0);
    }
    CHECK(std::ranges::count(programs[0].operators, Pass::update, &Operator::pass) == 8);
    CHECK(programs[1].batch == 3);
    CHECK(programs[2].operators.size() == 1);
    CHECK(compile_for({8, 8})[0].averages_over == AveragesOver::all_examples);
}

TEST_CASE("with local SGD nodes train alone, and the weights' mean travels in the gradients' buckets") {
    const StrategySpec strategy{.name = StrategyName::local_sgd, .wire_type = WireType::float16};
    const auto programs = compile_for({5, 3, 0}, strategy);
    for (const auto& program : programs) {
        CHECK(program.averages_over == AveragesOver::own_examples);
        CHECK(std::ranges::count(program.operators, Pass::communication, &Operator::pass) == 0);
    }
    CHECK(programs[2].operators.size() == 1);
    const auto average = weight_average(
        mnist_cnn(), strategy, {}, {.rank = 1, .world_size = 3, .batch = 5, .layout_batch = 5}, 1.0 / 3.0);
    CHECK(average.buckets == programs[0].buckets);
    CHECK(average.buckets == programs[2].buckets);
    CHECK(short_text(average) == Lines{"Mul dense_1.weight",        "Mul dense_2.weight",
                                       "Mul dense_2.bias",          "CollectiveReduceStart bucket_0",
                                       "Mul conv2d_1.weight",       "Mul conv2d_1.bias",
                                       "Mul conv2d_2.weight",       "Mul conv2d_2.bias",
                                       "Mul dense_1.bias",          "CollectiveReduceStart bucket_1",
                                       "CollectiveReduce bucket_0", "Mul dense_1.weight",
                                       "Mul dense_2.weight",        "Mul dense_2.bias",
                                       "CollectiveReduce bucket_1", "Mul conv2d_1.weight",
                                       "Mul conv2d_1.bias",         "Mul conv2d_2.weight",
                                       "Mul conv2d_2.bias",         "Mul dense_1.bias"});
    CHECK(average.operators.front().as<ScaleAttributes>().factor == Approx(1.0 / 3.0));
    CHECK(average.operators.back().as<ScaleAttributes>().factor == 1.0);
    const auto sum = std::ranges::find(average.operators, OperatorKind::exchange_wait, &Operator::kind);
    CHECK(sum->as<ExchangeAttributes>().exchange.options.wire_type == WireType::float32);

    const auto routine = plans_for(spec_for(3, 30, strategy), mnist_cnn(), 30)[1].routine;
    CHECK(routine.average_every == 8);
    CHECK(routine.average == routine.before_evaluation);
    CHECK(routine.before_checkpoint.empty());
    CHECK(plans_for(spec_for(3, 30), mnist_cnn(), 30)[1].routine.average.empty());
    CHECK(plans_for(spec_for(1, 30, strategy), mnist_cnn(), 30)[0].routine.average.empty());
}
