#include "graph/gradients.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "graph/listing.hpp"
#include "nn/network.hpp"

using namespace convoy;
using namespace convoy::test;
using Lines = std::vector<std::string>;

namespace {

/// A graph made by hand: every tensor has the same shape but for the weight.
class HandMade {
  public:
    HandMade() {
        images = tensor("images", TensorRole::input);
        labels = tensor("labels", TensorRole::input);
        add(OperatorKind::dataset, "batch", {}, {images});
        add(OperatorKind::dataset, "labels", {}, {labels});
    }

    TensorId tensor(const std::string& name, TensorRole role = TensorRole::activation) {
        return graph.add_tensor({name, {2}, role, role != TensorRole::parameter});
    }
    TensorId parameter(const std::string& name) {
        graph.parameters.push_back({.value = tensor(name, TensorRole::parameter), .slots = {}});
        return graph.parameters.back().value;
    }
    void add(OperatorKind kind, const std::string& name, std::vector<TensorId> inputs,
             std::vector<TensorId> outputs) {
        graph.operators.push_back({kind, name, Pass::forward, std::move(inputs), std::move(outputs), {}, {}});
    }
    /// Appends the loss of logits and the backward pass.
    void differentiate(TensorId logits) {
        const auto gradient = tensor(graph.tensor(logits).name + "/gradient");
        add(OperatorKind::softmax_cross_entropy, "loss", {logits, labels}, {gradient, tensor("metrics")});
        append_gradients(graph, logits, gradient);
    }

    Graph graph;
    TensorId images{}, labels{};
};

}  // namespace

TEST_CASE("a small network's backward pass") {
    const ModelSpec model{"small",
                          {2, 6, 6},
                          {{"c", Conv2dLayer{.filters = 3, .kernel = 3, .activation = Activation::tanh}},
                           {"p", PoolLayer{.kind = PoolKind::average}},
                           {"f", FlattenLayer{}},
                           {"d", DenseLayer{.units = 4, .activation = Activation::softmax}}}};
    const auto graph = training_graph(model, Sgd{.learning_rate = 0.1, .momentum = 0.9}, {2, 6, 6}, 4);
    CHECK(listing(graph) ==
          Lines{"Dataset batch:  -> images",
                "Dataset labels:  -> labels",
                "Conv2D c: images, c.weight -> c/product",
                "BiasAdd c: c/product, c.bias -> c/biased",
                "Tanh c: c/biased -> c/tanh",
                "AvgPool p: c/tanh -> p/average",
                "Reshape f: p/average -> f/flat",
                "MatMul d: f/flat, d.weight -> d/product",
                "BiasAdd d: d/product, d.bias -> d/biased",
                "SparseSoftmaxCrossEntropyWithLogits loss: d/biased, labels -> d/biased/gradient, metrics",
                "MatMul d: f/flat, d/biased/gradient -> d.weight/gradient",
                "BiasAddGrad d: d/biased/gradient -> d.bias/gradient",
                "MatMul d: d.weight, d/biased/gradient -> f/flat/gradient",
                "Reshape f: f/flat/gradient -> p/average/gradient",
                "AvgPoolGrad p: p/average/gradient -> c/tanh/gradient",
                "TanhGrad c: c/tanh, c/tanh/gradient -> c/biased/gradient",
                "Conv2DBackpropFilter c: images, c/biased/gradient -> c.weight/gradient",
                "BiasAddGrad c: c/biased/gradient -> c.bias/gradient",
                "ResourceApplyMomentum d.weight: d.weight, d.weight/gradient, d.weight/velocity -> d.weight, "
                "d.weight/velocity",
                "ResourceApplyMomentum d.bias: d.bias, d.bias/gradient, d.bias/velocity -> d.bias, "
                "d.bias/velocity",
                "ResourceApplyMomentum c.weight: c.weight, c.weight/gradient, c.weight/velocity -> c.weight, "
                "c.weight/velocity",
                "ResourceApplyMomentum c.bias: c.bias, c.bias/gradient, c.bias/velocity -> c.bias, "
                "c.bias/velocity"});
    for (const auto& parameter : graph.parameters) {
        CHECK(graph.tensor(parameter.gradient).shape == graph.tensor(parameter.value).shape);
        CHECK(graph.tensor(parameter.gradient).role == TensorRole::gradient);
    }
}

TEST_CASE("a tensor that two operators read gets the sum of both gradients") {
    HandMade hand;
    const auto weight = hand.parameter("w");
    const auto x = hand.tensor("x");
    const auto a = hand.tensor("a");
    const auto b = hand.tensor("b");
    const auto y = hand.tensor("y");
    hand.add(OperatorKind::matmul, "product", {hand.images, weight}, {x});
    hand.add(OperatorKind::tanh, "left", {x}, {a});
    hand.add(OperatorKind::sigmoid, "right", {x}, {b});
    hand.add(OperatorKind::add_n, "join", {a, b}, {y});
    hand.differentiate(y);
    CHECK(from_line(listing(hand.graph), "SigmoidGrad") ==
          Lines{"SigmoidGrad right: b, y/gradient -> x/gradient",
                "TanhGrad left: a, y/gradient -> x/gradient_1",
                "AddN product: x/gradient, x/gradient_1 -> x/gradient_sum_2",
                "MatMul product: images, x/gradient_sum_2 -> w/gradient"});
}

TEST_CASE("what no parameter feeds gets no gradient") {
    HandMade hand;
    const auto weight = hand.parameter("w");
    const auto warm = hand.tensor("warm");
    const auto y = hand.tensor("y");
    hand.add(OperatorKind::relu, "before", {hand.images}, {warm});
    hand.add(OperatorKind::matmul, "product", {warm, weight}, {y});
    hand.differentiate(y);
    CHECK(from_line(listing(hand.graph), "MatMul product: warm, y") ==
          Lines{"MatMul product: warm, y/gradient -> w/gradient"});
}

TEST_CASE("a parameter without influence and an operator without gradient are bugs") {
    HandMade idle;
    const auto used = idle.parameter("used");
    idle.parameter("unused");
    const auto y = idle.tensor("y");
    idle.add(OperatorKind::matmul, "product", {idle.images, used}, {y});
    CHECK_THROWS_WITH(idle.differentiate(y), Catch::Contains("unused"));

    HandMade rough;
    const auto weight = rough.parameter("w");
    const auto z = rough.tensor("z");
    rough.add(OperatorKind::greater_equal, "step", {weight}, {z});
    CHECK_THROWS_AS(rough.differentiate(z), InternalError);
}
