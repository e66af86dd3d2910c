#include "strategy/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "graph/residuals.hpp"
#include "nn/network.hpp"
#include "nn/zoo.hpp"
#include "strategy/buckets.hpp"
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

TEST_CASE("micro-batches: each size has a program that adds its gradients up, and one ends the step") {
    using Indices = std::vector<std::size_t>;
    const std::vector<BatchShares> shares{{{20, 19}, 20}, {{1, 0}, 20}};
    const auto nodes = compile_micro_batches({}, mnist_cnn(), 8, shares);
    REQUIRE(nodes.size() == 2);
    CHECK(nodes[0].steps.at(20) == Indices{0, 0, 1, 3});
    CHECK(nodes[0].steps.at(1) == Indices{2, 3});
    CHECK(nodes[1].steps.at(19) == Indices{0, 0, 1, 3});
    CHECK(nodes[1].steps.at(0) == Indices{2, 3});
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
        if (std::holds_alternative<CollectiveAttributes>(op.attributes))
            CHECK(op.as<CollectiveAttributes>().exact);
    }
}

TEST_CASE("micro-batches on one rank reduce nothing") {
    const std::vector<BatchShares> shares{{{16}, 16}};
    const auto nodes = compile_micro_batches({}, mnist_cnn(), 8, shares);
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
            if (op.kind == OperatorKind::all_reduce_wait)
                found.push_back(op.as<CollectiveAttributes>().options.algorithm);
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
    CHECK(algorithms(strategy) == std::vector{automatic, automatic});
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
            CHECK(op.as<CollectiveAttributes>().options.segment_bytes == 4096);
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
    const auto averages = compile_weight_averages(strategy, mnist_cnn(), {.nodes = {{}, {}, {}}}, 5);
    REQUIRE(averages.size() == 3);
    const auto& average = averages[1];
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
    const auto sum = std::ranges::find(average.operators, OperatorKind::all_reduce_wait, &Operator::kind);
    CHECK(sum->as<CollectiveAttributes>().options.wire_type == WireType::float32);
    CHECK(compile_weight_averages({}, mnist_cnn(), {.nodes = {{}, {}}}, 5).empty());
    CHECK(compile_weight_averages(strategy, mnist_cnn(), {.nodes = {{}}}, 5).empty());
}

TEST_CASE("moving statistics are averaged as they are, whatever gradients travel as") {
    const ModelSpec model{.name = "inline",
                          .input = {1, 4, 4},
                          .layers = {{"norm", BatchNormLayer{}},
                                     {"flat", FlattenLayer{}},
                                     {"dense", DenseLayer{.units = 2, .activation = Activation::softmax}}}};
    const auto graph = training_graph(model, Sgd{}, model.input, 2, true);
    const Cluster cluster{.nodes = {{}, {}}};
    const auto programs = compile_averaging({.wire_type = WireType::float16}, graph, cluster);
    REQUIRE(programs.size() == 2);
    CHECK(programs[0].operators.at(0).as<CollectiveAttributes>().options.wire_type == WireType::float32);
    const auto beside_top_k = compile_averaging({.wire_type = WireType::top_k}, graph, cluster);
    CHECK(beside_top_k.at(0) == programs[0]);
    CHECK(compile_averaging({.name = StrategyName::independent}, graph, cluster).empty());
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
            const auto& options = op.as<CollectiveAttributes>().options;
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
    CHECK(programs[0].carries_sums);
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
        if (op.kind == OperatorKind::all_reduce_start)
            connections.push_back(op.as<CollectiveAttributes>().options.connection);
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

TEST_CASE("what steps carry over is ended by a program of its own") {
    const Cluster two{.nodes = {{}, {}}};
    const auto last = compile_last_updates({.overlap_forward = true}, mnist_cnn(), two, 24);
    REQUIRE(last.size() == 2);
    CHECK(last[0].carries_sums);
    CHECK(last[0].buckets == compile_for({24, 24}, {.overlap_forward = true})[0].buckets);
    CHECK(short_text(last[0]) == Lines{"CollectiveReduce bucket_0"} + updates_of_first +
                                     Lines{"CollectiveReduce bucket_1"} + updates_of_second);
    CHECK(compile_last_updates({}, mnist_cnn(), two, 24).empty());
    CHECK(compile_last_updates({.overlap = false, .overlap_forward = true}, mnist_cnn(), two, 24).empty());
    CHECK(compile_last_updates({.overlap_forward = true}, mnist_cnn(), {.nodes = {{}}}, 24).empty());
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
    const auto programs = compile_for({8, 8}, {}, mnist_cnn(false));
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
    const auto model = resolve_model({.name = "mnist_cnn", .input = {}, .layers = {}});
    const auto graph = evaluation_graph(model, model.input, 10, true);
    const auto programs =
        compile_evaluation(graph, {.nodes = {{}, {}}}, {.examples = {5, 0}, .layout_batch = 5});
    CHECK(programs[0].kind == ProgramKind::evaluate);
    CHECK(std::ranges::count(programs[0].operators, Pass::communication, &Operator::pass) == 0);
    CHECK(programs[0].operators.back().kind == OperatorKind::softmax);
    REQUIRE(programs[1].operators.size() == 1);
    CHECK(programs[1].operators[0].kind == OperatorKind::dataset);
}

TEST_CASE("compiling is a pure function, and needs one share for each node") {
    CHECK(compile_for({3, 2}) == compile_for({3, 2}));
    CHECK_THROWS_AS(compile({}, mnist_cnn(), {.nodes = {{}}}, {.examples = {1, 1}, .layout_batch = 1}),
                    InternalError);
    CHECK_THROWS_AS(compile_evaluation(mnist_cnn(), {.nodes = {{}}}, {.examples = {}, .layout_batch = 1}),
                    InternalError);
}

namespace {

Graph small_resnet(bool fusion) {
    const auto model = resolve_model({.name = "resnet_v2", .input = {}, .layers = {}, .depth = 11});
    return training_graph(model, Sgd{}, model.input, 10, fusion);
}

}  // namespace

TEST_CASE("a penalty's gradient is added behind the reduction, once on every node") {
    const auto fusion = GENERATE(false, true);
    const auto programs = compile_for({2, 2}, {}, small_resnet(fusion));
    bool reduced = false;
    std::int64_t decays = 0;
    for (const auto& op : programs[0].operators) {
        reduced = reduced || op.kind == OperatorKind::all_reduce_wait;
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
    const auto graph = small_resnet(true);
    const auto programs = compile_averaging({}, graph, {.nodes = std::vector<ClusterNode>(4)});
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
    CHECK(compile_averaging({}, small_resnet(true), {.nodes = {{}}}).empty());
    CHECK(compile_averaging({}, mnist_cnn(), {.nodes = {{}, {}}}).empty());
}
