#include "strategy/filter_parallel.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "strategy/filter_cut.hpp"
#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

ExperimentSpec sharing(std::vector<double> weights) {
    const auto nodes = weights.size();
    auto spec = spec_for(nodes, 8,
                         {.name = StrategyName::filter_parallel,
                          .shares = {.by = SharesBy::weights, .weights = std::move(weights)}});
    spec.kernels.fusion = false;  // so that operators can be counted by kind
    return spec;
}

std::int64_t count(const Program& program, OperatorKind kind) {
    return std::ranges::count(program.operators, kind, &Operator::kind);
}

}  // namespace

TEST_CASE("only the master takes examples") {
    CHECK(master_and_workers(sharing({1, 1, 1})) == std::vector<std::int64_t>{0, -1, -1});
    const auto plans = plans_for(sharing({1, 1}), mnist_cnn(), 12, 4);
    CHECK(plans[0].role == "master");
    CHECK(plans[0].data == DataRole{.values = true, .labels = true, .numbers = true});
    CHECK(step_of(plans[0]).batch == 8);
    CHECK(plans[1].role == "worker");
    CHECK(plans[1].data == DataRole{});
    CHECK(step_of(plans[1]).batch == 0);
}

TEST_CASE("each node holds, saves and keeps its kernels, and the master all else") {
    const auto plans = plans_for(sharing({2, 1, 1}), mnist_cnn(), 8);
    std::int64_t next = 0;
    for (const auto& plan : plans) {
        const auto& kernels = held_by(plan, "conv2d_2.weight");
        REQUIRE(kernels.part);
        CHECK(kernels.part->first == next);
        next += kernels.part->count;
        CHECK((kernels.saved && kernels.kept && !kernels.alike && !kernels.one_layout));
        CHECK(held_by(plan, "dense_1.weight").part.has_value() == (plan.rank == 0));
        CHECK(held_by(plan, "conv2d_2.bias").part == kernels.part);
    }
    CHECK(next == 64);
}

TEST_CASE("a worker computes convolutions with their tails and updates its kernels, nothing else") {
    const auto plans = plans_for(sharing({1, 1}), mnist_cnn(), 8, 4);
    const auto& worker = step_of(plans[1]);
    CHECK(count(worker, OperatorKind::conv2d) == 2);
    CHECK(count(worker, OperatorKind::conv2d_backprop_filter) == 2);
    CHECK(count(worker, OperatorKind::conv2d_backprop_input) == 1);   // images need no gradient
    CHECK(count(worker, OperatorKind::apply_gradient_descent) == 4);  // of kernels and biases
    CHECK(count(worker, OperatorKind::relu) == 2);
    CHECK(count(worker, OperatorKind::relu_grad) == 2);
    CHECK(count(worker, OperatorKind::max_pool) == 1);
    CHECK(count(worker, OperatorKind::max_pool_grad) == 1);
    CHECK(count(worker, OperatorKind::dataset) == 0);
    CHECK(count(worker, OperatorKind::softmax_cross_entropy) == 0);
    const auto& evaluation = plans[1].programs.at(plans[1].routine.evaluations.at(0).at(0).at(0));
    CHECK(count(evaluation, OperatorKind::conv2d) == 2);
    CHECK(evaluation.batch == 0);
}

TEST_CASE("the bytes of a step are inputs, channels and their gradients") {
    const auto plans = plans_for(sharing({2, 1, 1}), mnist_cnn(), 8);
    constexpr std::int64_t batch = 8, images = batch * 784, first = batch * 26 * 26, second = batch * 12 * 12;
    // The master: inputs once, to the next in the chain, and the gradients of half of all channels.
    CHECK(elements_sent(step_of(plans[0]), 0) == images + 16 * first + 32 * first + 32 * second);
    // The last worker: its channels, and its part of the gradient of the second layer's input. The worker
    // before it adds its own part to that, and passes the inputs on.
    constexpr std::int64_t own = 8 * first + 16 * second, sum = 32 * first;
    CHECK(elements_sent(step_of(plans[2]), 2) == own + sum);
    CHECK(elements_sent(step_of(plans[1]), 1) == own + sum + images + 32 * first);
}

TEST_CASE("in sub-batches a worker computes part by part, and adds up the gradients of its kernels") {
    auto spec = sharing({1, 1});
    spec.strategy.sub_batches = 3;
    const auto plans = plans_for(spec, mnist_cnn(), 8);
    const auto& worker = step_of(plans[1]);
    CHECK(count(worker, OperatorKind::conv2d) == 2 * 3);
    CHECK(count(worker, OperatorKind::conv2d_backprop_filter) == 2 * 3);
    CHECK(count(worker, OperatorKind::assign_add) == 4 * 2);  // of two kernels and two biases
    std::vector<std::int64_t> rows;
    for (const auto& op : worker.operators)
        if (op.kind == OperatorKind::conv2d && op.name == "conv2d_1")
            rows.push_back(worker.tensor(op.inputs.at(0)).shape[0]);
    CHECK(rows == std::vector<std::int64_t>{3, 3, 2});
    CHECK(count(step_of(plans[0]), OperatorKind::conv2d) == 2);
    const auto whole = plans_for(sharing({1, 1}), mnist_cnn(), 8);
    for (const std::size_t rank : {0U, 1U}) {
        CHECK(elements_sent(step_of(plans[rank]), static_cast<std::int64_t>(rank)) ==
              elements_sent(step_of(whole[rank]), static_cast<std::int64_t>(rank)));
    }
}

TEST_CASE("the examples of a batch are the most sub-batches") {
    auto spec = sharing({1, 1});
    spec.strategy.sub_batches = 64;
    CHECK(count(step_of(plans_for(spec, mnist_cnn(), 8)[1]), OperatorKind::conv2d) == 2 * 8);
}

TEST_CASE("a node without kernels has nothing to do") {
    const auto plans = plans_for(sharing({1, 0}), mnist_cnn(), 8);
    CHECK(step_of(plans[1]).operators.empty());
    CHECK(count(step_of(plans[0]), OperatorKind::exchange_start) == 0);
    CHECK(held_by(plans[0], "conv2d_1.weight").part == whole_slice(Shape{32, 1, 3, 3}));
}
