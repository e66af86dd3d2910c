#include <algorithm>
#include <catch2/catch.hpp>

#include "graph/clipping.hpp"
#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

bool completes_a_sum(const Operator& op) {
    return op.kind == OperatorKind::exchange_wait || op.kind == OperatorKind::exchange;
}

/// Whether an operator writes a trained parameter or its optimizer state.
bool updates(const Program& program, const Operator& op) {
    return std::ranges::any_of(program.parameters, [&](const Parameter& parameter) {
        const auto is_written = [&](TensorId id) { return std::ranges::count(op.outputs, id) > 0; };
        return parameter.trained &&
               (is_written(parameter.value) || std::ranges::any_of(parameter.slots, is_written));
    });
}

/// Operators that change a parameter while gradients of the step are still on their way.
std::ptrdiff_t torn_updates(const Program& program, ExchangeVerb of_gradients) {
    std::ptrdiff_t early = 0, torn = 0;
    for (const auto& op : program.operators) {
        if (updates(program, op)) ++early;
        if (completes_a_sum(op) && op.as<ExchangeAttributes>().exchange.verb == of_gradients) torn = early;
    }
    return torn;
}

ExperimentSpec three_nodes(const StrategySpec& strategy) {
    ExperimentSpec spec;
    spec.nodes.resize(3);
    spec.batch_size = 12;
    spec.strategy = strategy;
    return spec;
}

}  // namespace

TEST_CASE("with the commit point by_step all sums of a step come before its updates") {
    auto graph = mnist_cnn();
    if (GENERATE(false, true)) clip_gradients(graph, {ClipBy::value, 1.0});
    StrategySpec strategy{.commit = CommitPoint::by_step, .bucketing = Bucketing::per_tensor};
    for (const auto& program : compile_for({4, 4, 4}, strategy, graph))
        CHECK(torn_updates(program, ExchangeVerb::all_reduce) == 0);
    strategy.commit = CommitPoint::by_bucket;
    for (const auto& program : compile_for({4, 4, 4}, strategy, graph))
        CHECK(torn_updates(program, ExchangeVerb::all_reduce) > 0);
}

TEST_CASE("workers and servers commit whole steps, too") {
    StrategySpec strategy{.name = StrategyName::parameter_server,
                          .commit = CommitPoint::by_step,
                          .bucketing = Bucketing::per_tensor,
                          .servers = 2};
    const auto torn = [&](std::size_t rank, ExchangeVerb verb) {
        const auto plan = plans_for(three_nodes(strategy), mnist_cnn(), 12).at(rank);
        return torn_updates(plan.programs.at(plan.routine.steps.at(0).steady.at(0)), verb);
    };
    CHECK(torn(0, ExchangeVerb::pull) == 0);
    CHECK(torn(3, ExchangeVerb::push) == 0);
    CHECK(torn(4, ExchangeVerb::push) == 0);
    strategy.commit = CommitPoint::by_bucket;
    CHECK(torn(0, ExchangeVerb::pull) > 0);
    CHECK(torn(4, ExchangeVerb::push) > 0);  // server 3 has one large bucket
}

TEST_CASE("micro-batches commit whole steps, too") {
    auto spec = three_nodes({.commit = CommitPoint::by_step, .bucketing = Bucketing::per_tensor});
    spec.micro_batch_size = 2;
    const auto update = [&] { return plans_for(spec, mnist_cnn(), 12).at(1).programs.back(); };
    CHECK(torn_updates(update(), ExchangeVerb::all_reduce) == 0);
    spec.strategy.commit = CommitPoint::by_bucket;
    CHECK(torn_updates(update(), ExchangeVerb::all_reduce) > 0);
}
