#include "strategy/order_of_need.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

/// Three workers of mnist_cnn: bucket 0 has dense_1's 4.7 MB, bucket 1 the convolutions'.
ExperimentSpec pushing(std::optional<double> link_mbit) {
    StrategySpec strategy{.name = StrategyName::parameter_server, .overlap_forward = true};
    strategy.slice_bytes = 1 << 20;
    auto spec = spec_for(3, 24, strategy);
    spec.cluster = ClusterSpec{.link_mbit = link_mbit};
    return spec;
}

/// "Verb name" of the starts and waits of a step, with "+" for a start and "-" for a wait.
Lines exchanges_of(const Program& program) {
    Lines lines;
    for (const auto& op : program.operators) {
        if (op.kind != OperatorKind::exchange_start && op.kind != OperatorKind::exchange_wait) continue;
        const bool push = op.as<ExchangeAttributes>().exchange.verb == ExchangeVerb::push;
        lines.push_back(fmt::format("{}{} {}", op.kind == OperatorKind::exchange_start ? '+' : '-',
                                    push ? "push" : "pull", op.name));
    }
    return lines;
}

/// The pushes that a step starts, in order.
Lines pushes_of(const Program& program) {
    Lines lines;
    for (const auto& line : exchanges_of(program))
        if (line.starts_with("+push ")) lines.push_back(line.substr(6));
    return lines;
}

}  // namespace

TEST_CASE("slices that the forward pass needs first go before those that the link has not begun to send") {
    const auto slow = plans_for(pushing(100.0), mnist_cnn(), 24);
    const auto order = pushes_of(step_of(slow[0]));
    REQUIRE(order.size() == 6);
    CHECK(order.front() == "bucket_0.slice_0");
    CHECK(order[1] == "bucket_1");
    CHECK(order.back() == "bucket_0.slice_4");
    for (const auto& plan : slow) CHECK(pushes_of(step_of(plan)) == order);  // the server's, too
}

TEST_CASE("where the link takes no time, slices go in the order of the backward pass") {
    for (const auto link : {std::optional<double>{}, std::optional<double>{1e9}}) {
        const auto plans = plans_for(pushing(link), mnist_cnn(), 24);
        const auto order = pushes_of(step_of(plans[0]));
        CHECK(order.back() == "bucket_1");
        CHECK(pushes_of(step_of(plans[3])) == order);
    }
}

TEST_CASE("new values come while the next step computes, each bucket before its first reader") {
    auto spec = pushing(100.0);
    spec.strategy.slice_bytes = std::int64_t{1} << 32;
    const auto plans = plans_for(spec, mnist_cnn(), 24);
    const auto& routine = plans[0].routine;
    const auto program = [&](const Sequence& sequence) -> const Program& {
        return plans[0].programs.at(sequence.at(0));
    };
    const Lines starts{"+push bucket_0", "+pull bucket_0", "+push bucket_1", "+pull bucket_1"};
    CHECK(exchanges_of(program(routine.steps.at(0).first)) == starts);
    CHECK(exchanges_of(program(routine.steps.at(0).steady)) ==
          Lines{"-push bucket_1", "-pull bucket_1", "-push bucket_0", "-pull bucket_0"} + starts);
    CHECK(exchanges_of(program(routine.finish)) ==
          Lines{"-push bucket_0", "-pull bucket_0", "-push bucket_1", "-pull bucket_1"});
    CHECK(plans[3].routine.finish.empty());
    CHECK(exchanges_of(plans[0].layouts.at(0)) == starts);  // same bits: it computes before it copies values
}

TEST_CASE("without overlap, new values come in the step itself") {
    auto spec = pushing(100.0);
    spec.strategy.overlap = false;
    CHECK(plans_for(spec, mnist_cnn(), 24)[0].routine.finish.empty());
}
