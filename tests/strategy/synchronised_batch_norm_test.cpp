#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "nn/network.hpp"
#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

const StrategySpec synchronised{.batch_norm_statistics = BatchNormStatistics::synchronised};

/// Two normalisations over 4 x 4 and 2 x 2 pixels, the second with ReLU behind it.
Graph normalised() {
    const ModelSpec model{.name = "inline",
                          .input = {3, 4, 4},
                          .layers = {{"n1", BatchNormLayer{}},
                                     {"c", Conv2dLayer{.filters = 5, .kernel = 3}},
                                     {"n2", BatchNormLayer{.activation = Activation::relu}},
                                     {"f", FlattenLayer{}},
                                     {"d", DenseLayer{.units = 2, .activation = Activation::softmax}}}};
    return training_graph(model, Sgd{}, model.input, 2);
}

/// "Kind name" of every operator that has to do with a normalisation, its sums among them.
Lines of_layer(const Program& program, const std::string& layer) {
    Lines lines;
    for (const auto& op : program.operators) {
        if (op.name != layer && !op.name.starts_with(layer + ".")) continue;
        if (op.pass == Pass::update) continue;
        lines.push_back(fmt::format("{} {}", operator_name(op.kind), op.name));
    }
    return lines;
}

/// What a rank exchanges, in order.
Lines exchanges_in(const Program& program) {
    Lines lines;
    for (const auto& op : program.operators) {
        if (op.pass == Pass::communication)
            lines.push_back(fmt::format("{} {}", operator_name(op.kind), op.name));
    }
    return lines;
}

const Operator& find(const Program& program, OperatorKind kind, const std::string& name) {
    const auto found = std::ranges::find_if(
        program.operators, [&](const Operator& op) { return op.kind == kind && op.name == name; });
    REQUIRE(found != program.operators.end());
    return *found;
}

}  // namespace

TEST_CASE("a normalisation is split around a sum over all ranks, forward and backward") {
    const auto program = compile_for({3, 2}, synchronised, normalised())[1];
    CHECK(of_layer(program, "n2") == Lines{"_BatchNormMoments n2", "CollectiveReduceStart n2.moments",
                                           "CollectiveReduce n2.moments", "_BatchNormStatistics n2",
                                           "_BatchNormApply n2", "_BatchNormGradSums n2",
                                           "CollectiveReduceStart n2.gradient_sums",
                                           "CollectiveReduce n2.gradient_sums", "_BatchNormGradApply n2"});
    const auto& statistics = find(program, OperatorKind::batch_norm_statistics, "n2");
    CHECK(program.tensor(statistics.inputs[0]).shape == Shape{2, 2, 5});
    CHECK(statistics.as<SharedBatchNormAttributes>().counts == std::vector<std::int64_t>{12, 8});
    CHECK(statistics.as<SharedBatchNormAttributes>().rank == 1);
    CHECK(find(program, OperatorKind::batch_norm_moments, "n1").as<SharedBatchNormAttributes>().counts ==
          std::vector<std::int64_t>{48, 32});
    CHECK(find(program, OperatorKind::batch_norm_apply, "n2").folded ==
          std::vector{OperatorKind::batch_norm, OperatorKind::relu});
    CHECK(find(program, OperatorKind::batch_norm_apply, "n1").folded ==
          std::vector{OperatorKind::batch_norm});
    CHECK(find(program, OperatorKind::batch_norm_apply, "n2").as<BatchNormAttributes>().relu);
}

TEST_CASE("all ranks exchange the same in the same order, those without examples too") {
    const auto fusion = GENERATE(false, true);
    const auto bucketing = GENERATE(Bucketing::by_size, Bucketing::per_tensor, Bucketing::end_of_step);
    for (const bool overlap : {false, true}) {
        auto strategy = synchronised;
        strategy.overlap = overlap;
        strategy.bucketing = bucketing;
        const auto programs = compile_for({2, 1, 0}, strategy, normalised(), fusion);
        for (const auto& program : programs) {
            CHECK(exchanges_in(program) == exchanges_in(programs[0]));
            CHECK(program.buckets == programs[0].buckets);
        }
        const auto& idle = programs[2];
        CHECK(of_layer(idle, "n1") ==
              Lines{"ZerosLike n1.moments", "CollectiveReduceStart n1.moments", "CollectiveReduce n1.moments",
                    "_BatchNormStatistics n1", "ZerosLike n1.gamma/gradient", "ZerosLike n1.beta/gradient",
                    "ZerosLike n1.gradient_sums", "CollectiveReduceStart n1.gradient_sums",
                    "CollectiveReduce n1.gradient_sums"});
        CHECK(std::ranges::count(idle.operators, OperatorKind::batch_norm_apply, &Operator::kind) == 0);
    }
}

TEST_CASE("statistics travel as float32, whatever gradients travel as") {
    auto strategy = synchronised;
    strategy.wire_type = WireType::bfloat16;
    const auto program = compile_for({1, 1}, strategy, normalised())[0];
    for (const auto& op : program.operators) {
        if (op.pass != Pass::communication) continue;
        const bool gradients = op.name.starts_with("bucket_");
        CHECK(op.as<ExchangeAttributes>().exchange.options.wire_type ==
              (gradients ? WireType::bfloat16 : WireType::float32));
    }
}

TEST_CASE("one rank has nothing to synchronise, and neither has a network without normalisation") {
    CHECK(compile_for({4}, synchronised, normalised()) == compile_for({4}, {}, normalised()));
    CHECK(compile_for({4, 4}, synchronised) == compile_for({4, 4}));
}
