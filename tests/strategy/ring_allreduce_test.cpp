#include <fmt/format.h>
#include <algorithm>
#include <catch2/catch.hpp>

#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

TEST_CASE("one rank reduces nothing, and is what the local strategy compiles") {
    const auto programs = compile_for({32});
    REQUIRE(programs.size() == 1);
    CHECK(programs[0].buckets.empty());
    CHECK(std::ranges::count(programs[0].operators, Pass::communication, &Operator::pass) == 0);
    CHECK(programs == compile_for({32}, {.name = StrategyName::local}));
}

TEST_CASE(
    "mnist_cnn on several ranks: a bucket starts behind its last gradient and is waited for before its "
    "updates") {
    const Lines expected = Lines{"_FusedMatMulGrad dense_2",
                                 "MatMul dense_2",
                                 "ReluGrad dense_1",
                                 "_FusedMatMulGrad dense_1",
                                 "CollectiveReduceStart bucket_0",
                                 "MatMul dense_1",
                                 "Reshape flatten_1",
                                 "ReluGrad conv2d_2",
                                 "MaxPoolGrad max_pool_1",
                                 "_FusedConv2DBackpropFilter conv2d_2",
                                 "Conv2DBackpropInput conv2d_2",
                                 "ReluGrad conv2d_1",
                                 "_FusedConv2DBackpropFilter conv2d_1",
                                 "CollectiveReduceStart bucket_1",
                                 "CollectiveReduce bucket_0"} +
                           updates_of_first + Lines{"CollectiveReduce bucket_1"} + updates_of_second;
    for (const std::int64_t ranks : {2, 4}) {
        const auto programs = compile_for(std::vector<std::int64_t>(static_cast<std::size_t>(ranks), 24));
        REQUIRE(programs.size() == static_cast<std::size_t>(ranks));
        for (std::int64_t rank = 0; rank < ranks; ++rank) {
            const auto& program = programs[static_cast<std::size_t>(rank)];
            CHECK(program.rank == rank);
            CHECK(program.world_size == ranks);
            CHECK(short_text(program) == expected);
            CHECK(program.buckets == programs[0].buckets);
        }
    }
}

TEST_CASE("without overlap every bucket starts behind the backward pass") {
    const auto text = short_text(compile_for({24, 24}, {.overlap = false})[0]);
    const auto start = std::ranges::find(text, "CollectiveReduceStart bucket_0");
    CHECK(Lines(start - 1, text.end()) ==
          Lines{"_FusedConv2DBackpropFilter conv2d_1", "CollectiveReduceStart bucket_0",
                "CollectiveReduceStart bucket_1", "CollectiveReduce bucket_0"} +
              updates_of_first + Lines{"CollectiveReduce bucket_1"} + updates_of_second);
}

TEST_CASE(
    "with overlap_forward a bucket is waited for in the next step, before the first layer that reads of it") {
    const auto everything = [](const Program& program) {
        Lines lines;
        for (const auto& op : program.operators)
            lines.push_back(fmt::format("{} {}", operator_name(op.kind), op.name));
        return lines;
    };
    const StrategySpec strategy{.overlap_forward = true, .connections = 2};
    const auto programs = compile_for({24, 24}, strategy);
    CHECK(everything(programs[0]) ==
          Lines{"Dataset batch", "Dataset labels", "Dataset example numbers", "CollectiveReduce bucket_1"} +
              updates_of_second +
              Lines{"_FusedConv2D conv2d_1", "_FusedConv2D conv2d_2", "MaxPool max_pool_1",
                    "_FusedDropout dropout_1", "Reshape flatten_1", "CollectiveReduce bucket_0"} +
              updates_of_first +
              Lines{"_FusedMatMul dense_1", "_FusedDropout dropout_2", "_FusedMatMul dense_2",
                    "SparseSoftmaxCrossEntropyWithLogits loss", "_FusedMatMulGrad dense_2", "MatMul dense_2",
                    "ReluGrad dense_1", "_FusedMatMulGrad dense_1", "CollectiveReduceStart bucket_0",
                    "MatMul dense_1", "Reshape flatten_1", "ReluGrad conv2d_2", "MaxPoolGrad max_pool_1",
                    "_FusedConv2DBackpropFilter conv2d_2", "Conv2DBackpropInput conv2d_2",
                    "ReluGrad conv2d_1", "_FusedConv2DBackpropFilter conv2d_1",
                    "CollectiveReduceStart bucket_1"});
    std::vector<std::int64_t> connections;
    for (const auto& op : programs[0].operators) {
        if (op.kind == OperatorKind::exchange_start)
            connections.push_back(op.as<ExchangeAttributes>().exchange.options.connection);
    }
    CHECK(connections == std::vector<std::int64_t>{0, 1});

    const auto empty = compile_for({1, 0}, strategy)[1];
    CHECK(everything(empty) ==
          Lines{"Dataset batch", "CollectiveReduce bucket_0"} + updates_of_first +
              Lines{"ZerosLike dense_2.weight/gradient", "ZerosLike dense_2.bias/gradient",
                    "ZerosLike dense_1.weight/gradient", "CollectiveReduceStart bucket_0",
                    "CollectiveReduce bucket_1"} +
              updates_of_second +
              Lines{"ZerosLike dense_1.bias/gradient", "ZerosLike conv2d_2.weight/gradient",
                    "ZerosLike conv2d_2.bias/gradient", "ZerosLike conv2d_1.weight/gradient",
                    "ZerosLike conv2d_1.bias/gradient", "CollectiveReduceStart bucket_1"});
}

TEST_CASE("a first step waits for nothing, and a program of its own completes the last one") {
    const auto routine_of = [](std::size_t nodes, const StrategySpec& strategy) {
        return plans_for(spec_for(nodes, 24, strategy), mnist_cnn(), 24)[0].routine;
    };
    const auto plan = plans_for(spec_for(2, 48, {.overlap_forward = true}), mnist_cnn(), 48)[0];
    REQUIRE(plan.routine.finish.size() == 1);
    const auto& last = plan.programs.at(plan.routine.finish[0]);
    CHECK(last.buckets == compile_for({24, 24}, {.overlap_forward = true})[0].buckets);
    CHECK(short_text(last) == Lines{"CollectiveReduce bucket_0"} + updates_of_first +
                                  Lines{"CollectiveReduce bucket_1"} + updates_of_second);
    for (const auto& op : last.operators) CHECK(op.of_step_before == (op.pass == Pass::update));

    const auto& first = plan.programs.at(plan.routine.steps.at(0).first.at(0));
    const auto& steady = plan.programs.at(plan.routine.steps.at(0).steady.at(0));
    CHECK(std::ranges::count(first.operators, OperatorKind::exchange_wait, &Operator::kind) == 0);
    CHECK(std::ranges::count(first.operators, Pass::update, &Operator::pass) == 0);
    CHECK(std::ranges::count(first.operators, OperatorKind::exchange_start, &Operator::kind) == 2);
    CHECK(std::ranges::count(steady.operators, OperatorKind::exchange_wait, &Operator::kind) == 2);
    for (const auto& op : steady.operators) CHECK(op.of_step_before == (op.pass == Pass::update));

    CHECK(routine_of(2, {}).finish.empty());
    CHECK(routine_of(2, {}).steps.at(0).first == routine_of(2, {}).steps.at(0).steady);
    CHECK(routine_of(2, {.overlap = false, .overlap_forward = true}).finish.empty());
    CHECK(routine_of(1, {.overlap_forward = true}).finish.empty());
}

TEST_CASE("uneven shares differ in their batch alone") {
    const auto programs = compile_for({3, 2});
    CHECK(programs[0].batch == 3);
    CHECK(programs[1].batch == 2);
    CHECK(programs[0].layout_batch == 3);
    CHECK(programs[1].layout_batch == 3);
    CHECK(programs[1].tensors[0].shape == Shape{2, 1, 28, 28});
    CHECK(short_text(programs[0]) == short_text(programs[1]));
}

TEST_CASE("a penalty's gradient is added behind the reduction, once on every node") {
    const auto fusion = GENERATE(false, true);
    const auto programs = compile_for({2, 2}, {}, small_resnet(), fusion);
    bool reduced = false;
    std::int64_t decays = 0;
    for (const auto& op : programs[0].operators) {
        reduced = reduced || op.kind == OperatorKind::exchange_wait;
        const auto* update = std::get_if<UpdateAttributes>(&op.attributes);
        const bool folded = update != nullptr && update->decay > 0.0;
        const bool own = op.kind == OperatorKind::scale && op.pass == Pass::update;
        if (!folded && !own) continue;
        CHECK(reduced);
        CHECK((folded ? update->decay : op.as<ScaleAttributes>().factor) == Approx(2e-4));
        ++decays;
    }
    CHECK(decays == 13);
    CHECK(std::ranges::count(programs[0].operators, Pass::update, &Operator::pass) ==
          (fusion ? 48 : 48 + 2 * 13));
}
