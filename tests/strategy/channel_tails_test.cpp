#include "strategy/channel_tails.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

std::vector<OperatorKind> kinds(const std::vector<const Operator*>& operators) {
    std::vector<OperatorKind> found;
    for (const auto* op : operators) found.push_back(op->kind);
    return found;
}

const Operator& convolution(const Graph& graph, const std::string& name) {
    return *std::ranges::find_if(graph.operators, [&](const Operator& op) {
        return op.kind == OperatorKind::conv2d && op.name == name;
    });
}

using Kinds = std::vector<OperatorKind>;

}  // namespace

TEST_CASE("the tail of a convolution has its bias, activation and pooling, and their gradients") {
    const auto graph = mnist_cnn();
    const ChannelTails tails(graph.operators);
    const auto first = tails.of(convolution(graph, "conv2d_1"));
    CHECK(kinds(first.forward) == Kinds{OperatorKind::bias_add, OperatorKind::relu});
    CHECK(kinds(first.backward) == Kinds{OperatorKind::relu_grad, OperatorKind::bias_add_grad});
    const auto second = tails.of(convolution(graph, "conv2d_2"));
    CHECK(kinds(second.forward) == Kinds{OperatorKind::bias_add, OperatorKind::relu, OperatorKind::max_pool});
    CHECK(kinds(second.backward) ==
          Kinds{OperatorKind::max_pool_grad, OperatorKind::relu_grad, OperatorKind::bias_add_grad});
    CHECK(second.result == second.forward.back()->outputs[0]);
    CHECK(second.result_gradient == second.backward.front()->inputs[0]);
}

TEST_CASE("a tail ends before an operator whose operand something else reads") {
    auto graph = mnist_cnn();
    const auto pooling = std::ranges::find(graph.operators, OperatorKind::max_pool, &Operator::kind);
    const auto activated = pooling->inputs[0];
    const auto copy = graph.add_tensor(graph.tensor(activated));
    graph.operators.insert(pooling,
                           {OperatorKind::square, "reader", Pass::forward, {activated}, {copy}, {}, {}});
    const ChannelTails tails(graph.operators);
    const auto tail = tails.of(convolution(graph, "conv2d_2"));
    CHECK(kinds(tail.forward) == Kinds{OperatorKind::bias_add, OperatorKind::relu});
    CHECK(tail.result == activated);
}

TEST_CASE("without a backward pass a tail has no gradients") {
    auto graph = mnist_cnn();
    std::erase_if(graph.operators, [](const Operator& op) { return op.pass != Pass::forward; });
    const ChannelTails tails(graph.operators);
    const auto tail = tails.of(convolution(graph, "conv2d_2"));
    CHECK(tail.forward.size() == 3);
    CHECK(tail.backward.empty());
}

TEST_CASE("convolutions whose results are added have each the gradient of its own bias in its tail") {
    const auto graph = small_resnet();
    const ChannelTails tails(graph.operators);
    int added = 0;
    for (const auto& op : graph.operators) {
        if (op.kind != OperatorKind::conv2d) continue;
        const auto tail = tails.of(op);
        INFO(op.name);
        REQUIRE(kinds(tail.forward) == Kinds{OperatorKind::bias_add});
        REQUIRE(kinds(tail.backward) == Kinds{OperatorKind::bias_add_grad});
        CHECK(tail.backward.front()->name == op.name);
        if (op.name.ends_with("_shortcut")) ++added;
    }
    CHECK(added == 3);
}
