#include "strategy/hybrid.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "graph/clipping.hpp"
#include "strategy/cut_weights.hpp"
#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

using Names = std::vector<std::string>;

ExperimentSpec hybrid(std::size_t nodes, std::int64_t batch_size,
                      std::optional<Names> cut_layers = std::nullopt) {
    return spec_for(nodes, batch_size, {.name = StrategyName::hybrid, .cut_layers = std::move(cut_layers)});
}

std::string message_of(const ExperimentSpec& spec, const Graph& training) {
    try {
        cut_weights(spec, training);
    } catch (const DataError& error) {
        return error.what();
    }
    return "nothing";
}

}  // namespace

TEST_CASE("a dense layer is cut where that sends fewer bytes") {
    // dense_1 has 9216 inputs and 128 units: 9216 * 128 / (9216 + 128) = 126.2
    CHECK(cut_weights(hybrid(5, 126), mnist_cnn()) == Names{"dense_1.weight"});
    CHECK(cut_weights(hybrid(5, 127), mnist_cnn()) == Names{});
    // dense_2 has 128 inputs and 10 units: 9.3; and fewer units than there are nodes
    CHECK(cut_weights(hybrid(5, 9), mnist_cnn()) == Names{"dense_1.weight", "dense_2.weight"});
    CHECK(cut_weights(hybrid(11, 9), mnist_cnn()) == Names{"dense_1.weight"});
    CHECK(cut_weights(hybrid(1, 8), mnist_cnn()) == Names{});
    CHECK(cut_weights(hybrid(5, 1000, Names{"dense_2"}), mnist_cnn()) == Names{"dense_2.weight"});
}

TEST_CASE("a layer that cannot be cut is refused by name") {
    CHECK(message_of(hybrid(2, 8, Names{"conv2d_1"}), mnist_cnn()) ==
          "$.strategy.cut_layers[0]: conv2d_1 is no dense layer of the network");
    CHECK(message_of(hybrid(11, 11, Names{"dense_1", "dense_2"}), mnist_cnn()) ==
          "$.strategy.cut_layers[1]: dense_2 has 10 units for 11 nodes");
    auto clipped = hybrid(2, 8, Names{"dense_1"});
    clipped.gradient_clipping = {.by = ClipBy::norm, .limit = 1.0};
    CHECK(message_of(clipped, mnist_cnn()).ends_with("which needs its whole gradient"));
}

TEST_CASE("each node holds, saves and keeps its units, which together are all") {
    const auto plans = plans_for(hybrid(3, 12), mnist_cnn(), 24, 12);
    std::int64_t next = 0;
    for (const auto& plan : plans) {
        const auto& cut = held_by(plan, "dense_1.weight");
        REQUIRE(cut.part);
        CHECK(cut.part->axis == 0);
        CHECK(cut.part->first == next);
        next += cut.part->count;
        CHECK((cut.saved && cut.kept && !cut.alike && !cut.start_alike && !cut.one_layout));
        const auto& bias = held_by(plan, "dense_1.bias");
        CHECK(bias.alike);
        CHECK(bias.saved == (plan.rank == 0));
        CHECK(bias.kept);
        const auto& program = step_of(plan);
        const auto& held = *std::ranges::find(program.tensors, "dense_1.weight", &TensorInfo::name);
        CHECK(held.shape == Shape{cut.part->count, 9216});
    }
    CHECK(next == 128);
    CHECK(held_by(plans[0], "dense_1.weight").part->count == 43);
    CHECK(held_by(plans[2], "dense_1.weight").part->count == 42);
}

TEST_CASE("the gradient of a cut layer is in no bucket, and its bytes are those of inputs and results") {
    const auto plans = plans_for(hybrid(4, 16), mnist_cnn(), 16);
    for (const auto& plan : plans) {
        const auto& program = step_of(plan);
        for (const auto& bucket : program.buckets)
            CHECK(std::ranges::count(names(program, bucket), "dense_1.weight/gradient") == 0);
        // 2 (n-1) B/n (in + out) values
        CHECK(elements_sent(program, plan.rank) == 2 * 3 * (16 / 4) * (9216 + 128));
    }
}

TEST_CASE("the update of a cut layer waits for no sum") {
    const auto plans = plans_for(hybrid(2, 8), mnist_cnn(), 8);
    const auto& operators = step_of(plans[0]).operators;
    const auto update = std::ranges::find_if(
        operators, [](const Operator& op) { return op.pass == Pass::update && op.name == "dense_1.weight"; });
    REQUIRE(update != operators.end());
    const auto sum_ends = [](const Operator& op) {
        return op.kind == OperatorKind::exchange_wait &&
               op.as<ExchangeAttributes>().exchange.verb == ExchangeVerb::all_reduce;
    };
    CHECK(std::none_of(operators.begin(), update, sum_ends));
    CHECK(std::any_of(update, operators.end(), sum_ends));
}

TEST_CASE("a node without examples computes its units all the same") {
    const auto plans = plans_for(hybrid(3, 3), mnist_cnn(), 5);
    const auto& short_step = plans[2].programs.at(plans[2].routine.steps.at(1).first.at(0));
    REQUIRE(short_step.batch == 0);
    const auto count = [&](OperatorKind kind) {
        return std::ranges::count(short_step.operators, kind, &Operator::kind);
    };
    CHECK(count(OperatorKind::matmul) == 2);  // dense_2 is cut too, for so small a batch
    CHECK(count(OperatorKind::matmul_backprop_weight) == 2);
    CHECK(count(OperatorKind::conv2d) + count(OperatorKind::fused_conv2d) == 0);
    for (const auto& op : short_step.operators)
        if (std::holds_alternative<ExchangeAttributes>(op.attributes))
            if (const auto& range = op.as<ExchangeAttributes>().range) CHECK(range->count > 0);
}

TEST_CASE("rank 0 counts the gradients that all ranks have for the global norm") {
    auto graph = mnist_cnn();
    clip_gradients(graph, {.by = ClipBy::global_norm, .limit = 1.0});
    const auto plans = plans_for(hybrid(2, 100), graph, 100);
    std::vector<std::size_t> counted;
    for (const auto& plan : plans) {
        const auto& operators = step_of(plan).operators;
        const auto squares = std::ranges::find(operators, OperatorKind::squared_norm, &Operator::kind);
        REQUIRE(squares != operators.end());
        counted.push_back(squares->inputs.size());
        CHECK((squares + 1)->kind == OperatorKind::exchange);
        CHECK((squares + 2)->kind == OperatorKind::square_root);
    }
    CHECK(counted == std::vector<std::size_t>{8, 1});
}
