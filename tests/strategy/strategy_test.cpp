#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "graph/residuals.hpp"
#include "nn/network.hpp"
#include "nn/zoo.hpp"
#include "strategy/averaging.hpp"
#include "strategy/buckets.hpp"
#include "strategy/local_sgd.hpp"
#include "strategy/micro_batches.hpp"
#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

TEST_CASE("a share is cut into micro-batches, the last may be smaller") {
    using Sizes = std::vector<std::int64_t>;
    CHECK(micro_batches_of(24, 8) == Sizes{8, 8, 8});
    CHECK(micro_batches_of(27, 8) == Sizes{8, 8, 8, 3});
    CHECK(micro_batches_of(3, 8) == Sizes{3});
    CHECK(micro_batches_of(0, 8) == Sizes{0});
}

namespace {

/// A run of so many nodes with this strategy.
ExperimentSpec spec_for(std::size_t nodes, std::int64_t batch_size, const StrategySpec& strategy = {}) {
    ExperimentSpec spec;
    spec.nodes.resize(nodes);
    spec.batch_size = batch_size;
    spec.strategy = strategy;
    return spec;
}

}  // namespace

TEST_CASE("micro-batches: each size has a program that adds its gradients up, and one ends the step") {
    auto spec = spec_for(2, 39);
    spec.micro_batch_size = 8;
    const auto nodes = plans_for(spec, mnist_cnn(), 40);  // in shares of 20 and 19, then 1 and 0
    REQUIRE(nodes.size() == 2);
    for (const auto& node : nodes) {
        REQUIRE(node.routine.steps.size() == 2);
        CHECK(node.routine.steps[0].first == Sequence{0, 0, 1, 3});
        CHECK(node.routine.steps[0].steady == Sequence{0, 0, 1, 3});
        CHECK(node.routine.steps[1].first == Sequence{2, 3});
    }
    std::vector<std::int64_t> batches;
    for (const auto& program : nodes[1].programs) {
        batches.push_back(program.batch);
        CHECK(program.layout_batch == 8);
        CHECK(program.buckets == nodes[0].programs[0].buckets);
    }
    CHECK(batches == std::vector<std::int64_t>{8, 3, 0, 0});

    const Lines compute{
        "_FusedMatMulGrad dense_2",      "MatMul dense_2", "ReluGrad dense_1", "_FusedMatMulGrad dense_1",
        "_AccumulateGradients bucket_0", "MatMul dense_1"};
    auto gradients = short_text(nodes[0].programs[0]);
    CHECK(gradients.back() == "_AccumulateGradients bucket_1");
    gradients.resize(compute.size());
    CHECK(gradients == compute);
    CHECK(short_text(nodes[1].programs[2]).empty());
    CHECK(short_text(nodes[0].programs[3]) ==
          Lines{"CollectiveReduceStart bucket_0", "CollectiveReduceStart bucket_1",
                "CollectiveReduce bucket_0", "_TakeGradientSums bucket_0"} +
              updates_of_first + Lines{"CollectiveReduce bucket_1", "_TakeGradientSums bucket_1"} +
              updates_of_second);
    for (const auto& op : nodes[0].programs[3].operators) {
        if (std::holds_alternative<ExchangeAttributes>(op.attributes))
            CHECK(op.as<ExchangeAttributes>().exact);
    }
}

TEST_CASE("micro-batches on one rank reduce nothing") {
    auto spec = spec_for(1, 16);
    spec.micro_batch_size = 8;
    const auto nodes = plans_for(spec, mnist_cnn(), 16);
    const auto& update = nodes.at(0).programs.back();
    CHECK(update.kind == ProgramKind::update);
    CHECK(short_text(update) == Lines{"_TakeGradientSums bucket_0"} + updates_of_first +
                                    Lines{"_TakeGradientSums bucket_1"} + updates_of_second);
}

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

TEST_CASE("a calibration says how each bucket is summed, where it was measured between as many nodes") {
    const auto algorithms = [](const StrategySpec& strategy) {
        std::vector<AllReduceAlgorithm> found;
        const auto programs = compile_for({8, 8}, strategy);
        for (const auto& op : programs[0].operators) {
            if (op.kind == OperatorKind::exchange_wait)
                found.push_back(op.as<ExchangeAttributes>().exchange.options.algorithm);
        }
        return found;
    };
    using enum AllReduceAlgorithm;
    // of 18,816 floats the second bucket is, the first of 1,181,056
    StrategySpec strategy{.calibration = AllReduceCalibration{2, {{80'000, tree}}, halving_doubling}};
    CHECK(algorithms(strategy) == std::vector{halving_doubling, tree});
    strategy.calibration->ranges[0].up_to_bytes = 40'000;
    CHECK(algorithms(strategy) == std::vector{halving_doubling, halving_doubling});
    strategy.wire_type = WireType::float16;
    CHECK(algorithms(strategy) == std::vector{halving_doubling, tree});
    strategy.calibration->nodes = 3;
    CHECK(algorithms(strategy) == std::vector{ring, ring});
    strategy.calibration->nodes = 2;
    strategy.algorithm = ring;
    CHECK(algorithms(strategy) == std::vector{ring, ring});
}

TEST_CASE("buckets hold every gradient once, aligned, in the order of the backward pass") {
    const auto programs = compile_for({16, 16});
    const auto& program = programs[1];
    REQUIRE(program.buckets.size() == 2);
    CHECK(names(program, program.buckets[0]) ==
          Lines{"dense_2.weight/gradient", "dense_2.bias/gradient", "dense_1.weight/gradient"});
    CHECK(program.buckets[0].offsets == std::vector<std::int64_t>{0, 1280, 1296});
    CHECK(program.buckets[0].elements == 1296 + 128 * 9216);
    CHECK(names(program, program.buckets[1]) == Lines{"dense_1.bias/gradient", "conv2d_2.weight/gradient",
                                                      "conv2d_2.bias/gradient", "conv2d_1.weight/gradient",
                                                      "conv2d_1.bias/gradient"});
    for (const auto& bucket : program.buckets) {
        for (const auto offset : bucket.offsets) CHECK(offset % 16 == 0);
        CHECK(program.tensor(bucket.storage).shape == Shape{bucket.elements});
        CHECK(program.tensor(bucket.storage).role == TensorRole::bucket);
    }
}

TEST_CASE("bucket_bytes decides where a bucket closes") {
    const auto tiny = compile_for({8, 8}, {.bucket_bytes = 1, .segment_bytes = 4096});
    CHECK(tiny[0].buckets.size() == 8);
    const auto huge = compile_for({8, 8}, {.bucket_bytes = 1 << 30, .segment_bytes = 4096});
    CHECK(huge[0].buckets.size() == 1);
    for (const auto& op : huge[0].operators) {
        if (op.pass == Pass::communication)
            CHECK(op.as<ExchangeAttributes>().exchange.options.segment_bytes == 4096);
    }
}

TEST_CASE("every gradient may have a bucket, or all have one that is summed behind the backward pass") {
    const auto each = compile_for({8, 8}, {.bucketing = Bucketing::per_tensor, .bucket_bytes = 1 << 30})[0];
    CHECK(each.buckets.size() == 8);
    const auto text =
        short_text(compile_for({8, 8}, {.bucketing = Bucketing::end_of_step, .bucket_bytes = 1})[0]);
    const auto start = std::ranges::find(text, "CollectiveReduceStart bucket_0");
    CHECK(Lines(start - 1, text.end()) == Lines{"_FusedConv2DBackpropFilter conv2d_1",
                                                "CollectiveReduceStart bucket_0",
                                                "CollectiveReduce bucket_0"} +
                                              updates_of_first + updates_of_second);
}

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
    const auto average = weight_average(mnist_cnn(), strategy, {},
                                        {.rank = 1, .world_size = 3, .batch = 5, .layout_batch = 5});
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

TEST_CASE("with top_k each bucket of gradients has one of residuals, at the same offsets") {
    auto graph = mnist_cnn();
    add_residuals(graph);
    const StrategySpec strategy{.wire_type = WireType::top_k, .top_k = {0.25}, .connections = 2};
    for (const auto& program : compile_for({24, 0}, strategy, graph)) {
        REQUIRE(program.buckets.size() == 4);
        for (std::size_t i = 0; i < 2; ++i) {
            const auto& gradients = program.buckets[i];
            const auto& residuals = program.buckets[i + 2];
            CHECK(residuals.residuals);
            CHECK(holds_gradients(gradients));
            CHECK_FALSE(holds_gradients(residuals));
            CHECK(residuals.offsets == gradients.offsets);
            CHECK(residuals.elements == gradients.elements);
        }
        CHECK(names(program, program.buckets[2]) ==
              Lines{"dense_2.weight/residual", "dense_2.bias/residual", "dense_1.weight/residual"});
        std::size_t sums = 0;
        for (const auto& op : program.operators) {
            if (op.pass != Pass::communication) continue;
            const std::size_t bucket = op.name == "bucket_0" ? 0 : 1;
            CHECK(op.inputs ==
                  std::vector{program.buckets[bucket].storage, program.buckets[bucket + 2].storage});
            const auto& options = op.as<ExchangeAttributes>().exchange.options;
            CHECK(options.top_k.fraction == 0.25);
            CHECK(options.connection == static_cast<std::int64_t>(bucket));
            ++sums;
        }
        CHECK(sums == 4);
    }
    // Without residuals there is nowhere to keep what is not sent.
    CHECK_THROWS_AS(compile_for({24, 24}, strategy), InternalError);
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
          Lines{"Dataset batch", "CollectiveReduce bucket_1"} + updates_of_second +
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

TEST_CASE("without overlap every bucket starts behind the backward pass") {
    const auto text = short_text(compile_for({24, 24}, {.overlap = false})[0]);
    const auto start = std::ranges::find(text, "CollectiveReduceStart bucket_0");
    CHECK(Lines(start - 1, text.end()) ==
          Lines{"_FusedConv2DBackpropFilter conv2d_1", "CollectiveReduceStart bucket_0",
                "CollectiveReduceStart bucket_1", "CollectiveReduce bucket_0"} +
              updates_of_first + Lines{"CollectiveReduce bucket_1"} + updates_of_second);
}

TEST_CASE("a share without examples puts zeros into the same buckets") {
    const auto programs = compile_for({1, 0});
    CHECK(programs[1].buckets == programs[0].buckets);
    CHECK(programs[1].operators[0].kind == OperatorKind::dataset);
    CHECK(std::ranges::count(programs[1].operators, Pass::forward, &Operator::pass) == 0);
    CHECK(short_text(programs[1]) ==
          Lines{"ZerosLike dense_2.weight/gradient", "ZerosLike dense_2.bias/gradient",
                "ZerosLike dense_1.weight/gradient", "CollectiveReduceStart bucket_0",
                "ZerosLike dense_1.bias/gradient", "ZerosLike conv2d_2.weight/gradient",
                "ZerosLike conv2d_2.bias/gradient", "ZerosLike conv2d_1.weight/gradient",
                "ZerosLike conv2d_1.bias/gradient", "CollectiveReduceStart bucket_1",
                "CollectiveReduce bucket_0"} +
              updates_of_first + Lines{"CollectiveReduce bucket_1"} + updates_of_second);
}

TEST_CASE("unfused programs reduce the same gradients") {
    const auto programs = compile_for({8, 8}, {}, mnist_cnn(), false);
    std::int64_t elements = 0;
    for (const auto& bucket : programs[0].buckets) {
        for (const auto id : bucket.tensors) elements += programs[0].tensor(id).shape.elements();
    }
    CHECK(elements == 1'199'882);
    CHECK(programs[0].buckets.size() == 2);
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

namespace {

Graph small_resnet() {
    const auto model = resolve_model({.name = "resnet_v2", .input = {}, .layers = {}, .depth = 11});
    return training_graph(model, Sgd{}, model.input, 10);
}

}  // namespace

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

TEST_CASE("one node, or a network without moving statistics, has nothing to bring to a mean") {
    const auto prepares = [](std::size_t nodes, const Graph& of) {
        return plans_for(spec_for(nodes, 8), of, 8)[0].routine.before_evaluation.size();
    };
    CHECK(prepares(2, small_resnet()) == 1);
    CHECK(prepares(1, small_resnet()) == 0);
    CHECK(prepares(2, mnist_cnn()) == 0);
}
