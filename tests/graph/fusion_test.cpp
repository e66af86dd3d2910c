#include "graph/fusion.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "graph/listing.hpp"
#include "nn/network.hpp"
#include "support/fused.hpp"

using namespace convoy;
using namespace convoy::test;
using Lines = std::vector<std::string>;

namespace {

LayerSpec conv(const std::string& name, Activation activation) {
    return {name, Conv2dLayer{.filters = 3, .kernel = 3, .activation = activation}};
}

/// The fused operators of a training step, without its updates.
Lines fused_step(const std::vector<LayerSpec>& layers, std::int64_t classes) {
    const ModelSpec model{"small", {1, 8, 8}, layers};
    auto graph = convoy::test::fused(training_graph(model, Sgd{}, {1, 8, 8}, classes));
    std::erase_if(graph.operators, [](const Operator& op) { return op.pass == Pass::update; });
    return listing(graph);
}

const Operator& find(const Graph& graph, OperatorKind kind, const std::string& name) {
    for (const auto& op : graph.operators) {
        if (op.kind == kind && op.name == name) return op;
    }
    throw std::runtime_error("no such operator");
}

}  // namespace

TEST_CASE("products, biases, relu, pooling and dropout fold as the header tells") {
    CHECK(fused_step({conv("c1", Activation::relu),
                      conv("c2", Activation::relu),
                      {"p", PoolLayer{}},
                      {"o", DropoutLayer{0.25}},
                      {"f", FlattenLayer{}},
                      {"d", DenseLayer{.units = 4, .activation = Activation::softmax}}},
                     4) ==
          Lines{"Dataset batch:  -> images", "Dataset labels:  -> labels", "Dataset example numbers:  -> ",
                "_FusedConv2D c1: images, c1.weight, c1.bias -> c1/relu (Conv2D + BiasAdd + Relu)",
                "_FusedConv2D c2: c1/relu, c2.weight, c2.bias -> c2/relu (Conv2D + BiasAdd + Relu)",
                "MaxPool p: c2/relu -> p/maximum, p/argmax",
                "_FusedDropout o: p/maximum -> o/result (RandomUniform + GreaterEqual + Cast + Mul)",
                "Reshape f: o/result -> f/flat",
                "_FusedMatMul d: f/flat, d.weight, d.bias -> d/biased (MatMul + BiasAdd)",
                "SparseSoftmaxCrossEntropyWithLogits loss: d/biased, labels -> d/biased/gradient, metrics",
                "_FusedMatMulGrad d: f/flat, d/biased/gradient -> d.weight/gradient, d.bias/gradient "
                "(MatMul + BiasAddGrad)",
                "MatMul d: d.weight, d/biased/gradient -> f/flat/gradient",
                "Reshape f: f/flat/gradient -> o/result/gradient",
                "ReluGrad c2: o/result, o/result/gradient -> c2/relu/gradient (Mul)",
                "MaxPoolGrad p: c2/relu/gradient, p/argmax -> c2/biased/gradient",
                "_FusedConv2DBackpropFilter c2: c1/relu, c2/biased/gradient -> c2.weight/gradient, "
                "c2.bias/gradient "
                "(Conv2DBackpropFilter + BiasAddGrad)",
                "Conv2DBackpropInput c2: c2.weight, c2/biased/gradient -> c1/relu/gradient",
                "ReluGrad c1: c1/relu, c1/relu/gradient -> c1/biased/gradient",
                "_FusedConv2DBackpropFilter c1: images, c1/biased/gradient -> c1.weight/gradient, "
                "c1.bias/gradient "
                "(Conv2DBackpropFilter + BiasAddGrad)"});
}

TEST_CASE("grouped convolutions take a bias and a relu, and pointwise ones of one group a sum") {
    const auto pointwise = [](std::int64_t groups, bool bias, Activation activation) {
        return Conv2dLayer{
            .filters = 4, .kernel = 1, .activation = activation, .groups = groups, .bias = bias};
    };
    const auto lines = fused_step({{"a", pointwise(1, true, Activation::tanh)},
                                   {"b", pointwise(2, true, Activation::relu)},
                                   {"c", pointwise(2, true, Activation::none)},
                                   {"s", AddLayer{}, {"c", "b"}},
                                   {"d", pointwise(4, false, Activation::relu)},
                                   {"f", FlattenLayer{}},
                                   {"e", DenseLayer{.units = 4}}},
                                  4);
    const auto has = [&](const std::string& line) { return std::ranges::count(lines, line) == 1; };
    CHECK(has("_FusedConv2D b: a/tanh, b.weight, b.bias -> b/relu (Conv2D + BiasAdd + Relu)"));
    CHECK(has("_FusedConv2D c: b/relu, c.weight, c.bias -> c/biased (Conv2D + BiasAdd)"));
    CHECK(has("AddV2 s: c/biased, b/relu -> s/sum"));
    CHECK(has("Conv2D d: s/sum, d.weight -> d/product"));
    CHECK(has("Relu d: d/product -> d/relu"));
    CHECK(has("Conv2DBackpropFilter d: s/sum, d/product/gradient -> d.weight/gradient"));
}

TEST_CASE("a leaky relu folds into nothing, and pooling and dropout behind it keep their gradients") {
    const auto lines =
        fused_step({{"c", Conv2dLayer{.filters = 3, .kernel = 3, .activation = Activation::leaky_relu}},
                    {"p", PoolLayer{}},
                    {"o", DropoutLayer{0.25}},
                    {"n", BatchNormLayer{.activation = Activation::leaky_relu}},
                    {"f", FlattenLayer{}},
                    {"d", DenseLayer{.units = 4, .activation = Activation::leaky_relu}},
                    {"e", DenseLayer{.units = 4}}},
                   4);
    const auto has = [&](const std::string& line) { return std::ranges::count(lines, line) == 1; };
    CHECK(has("_FusedConv2D c: images, c.weight, c.bias -> c/biased (Conv2D + BiasAdd)"));
    CHECK(has("LeakyRelu c: c/biased -> c/leaky_relu"));
    CHECK(has("LeakyRelu n: n/normalised -> n/leaky_relu"));
    CHECK(has("_FusedMatMul d: f/flat, d.weight, d.bias -> d/biased (MatMul + BiasAdd)"));
    CHECK(has("LeakyRelu d: d/biased -> d/leaky_relu"));
    CHECK(has("Mul o: o/result/gradient, o/mask -> p/maximum/gradient"));
    CHECK(has("MaxPoolGrad p: p/maximum/gradient, p/argmax -> c/leaky_relu/gradient"));
    CHECK(has("LeakyReluGrad c: c/leaky_relu, c/leaky_relu/gradient -> c/biased/gradient"));
    CHECK(has("LeakyReluGrad n: n/leaky_relu, n/leaky_relu/gradient -> n/normalised/gradient"));
}

TEST_CASE("a dropout that is not behind a relu keeps its mask") {
    CHECK(fused_step({{"f", FlattenLayer{}},
                      {"d1", DenseLayer{.units = 5, .activation = Activation::tanh}},
                      {"o", DropoutLayer{0.5}},
                      {"d2", DenseLayer{.units = 4}}},
                     4) ==
          Lines{"Dataset batch:  -> images", "Dataset labels:  -> labels", "Dataset example numbers:  -> ",
                "Reshape f: images -> f/flat",
                "_FusedMatMul d1: f/flat, d1.weight, d1.bias -> d1/biased (MatMul + BiasAdd)",
                "Tanh d1: d1/biased -> d1/tanh",
                "_FusedDropout o: d1/tanh -> o/result, o/mask (RandomUniform + GreaterEqual + Cast + Mul)",
                "_FusedMatMul d2: o/result, d2.weight, d2.bias -> d2/biased (MatMul + BiasAdd)",
                "SparseSoftmaxCrossEntropyWithLogits loss: d2/biased, labels -> d2/biased/gradient, metrics",
                "_FusedMatMulGrad d2: o/result, d2/biased/gradient -> d2.weight/gradient, d2.bias/gradient "
                "(MatMul + BiasAddGrad)",
                "MatMul d2: d2.weight, d2/biased/gradient -> o/result/gradient",
                "Mul o: o/result/gradient, o/mask -> d1/tanh/gradient",
                "TanhGrad d1: d1/tanh, d1/tanh/gradient -> d1/biased/gradient",
                "_FusedMatMulGrad d1: f/flat, d1/biased/gradient -> d1.weight/gradient, d1.bias/gradient "
                "(MatMul + BiasAddGrad)"});
}

TEST_CASE("fused operators carry their activation, scale and shapes") {
    const ModelSpec model{"small",
                          {1, 8, 8},
                          {conv("c1", Activation::relu),
                           conv("c2", Activation::none),
                           {"r", ActivationLayer{Activation::relu}},
                           {"p", PoolLayer{}},
                           {"o", DropoutLayer{0.2}},
                           {"f", FlattenLayer{}},
                           {"d", DenseLayer{.units = 4}}}};
    const auto graph = fused(training_graph(model, Sgd{}, {1, 8, 8}, 4));
    CHECK(find(graph, OperatorKind::fused_conv2d, "c1").as<WindowAttributes>().relu);
    CHECK_FALSE(find(graph, OperatorKind::fused_matmul, "d").as<MatMulAttributes>().relu);
    CHECK(find(graph, OperatorKind::relu_grad, "r").as<ReluGradAttributes>().scale == Approx(1.25));
    CHECK(find(graph, OperatorKind::fused_dropout, "o").as<DropoutAttributes>() == DropoutAttributes{0.2, 4});
    // The gradient of the relu moved behind the pooling: it works on the pooled size.
    const auto& relu_grad = find(graph, OperatorKind::relu_grad, "r");
    CHECK(graph.tensor(relu_grad.outputs[0]).shape == Shape{3, 2, 2});
    CHECK(graph.tensor(find(graph, OperatorKind::max_pool_grad, "p").outputs[0]).shape == Shape{3, 4, 4});
}

TEST_CASE("what is read elsewhere is not folded away") {
    // The product's bias sum goes to a relu and to a tanh: neither can be inside the product.
    Graph graph;
    const auto tensor = [&](const std::string& name) {
        return graph.add_tensor({name, {2}, TensorRole::activation, true});
    };
    const auto x = tensor("x");
    const auto w = tensor("w");
    const auto b = tensor("b");
    const auto product = tensor("product");
    const auto biased = tensor("biased");
    const auto add = [&](OperatorKind kind, std::vector<TensorId> inputs, TensorId output,
                         Attributes attributes = {}) {
        graph.operators.push_back(
            {kind, "layer", Pass::forward, std::move(inputs), {output}, std::move(attributes), {}});
    };
    add(OperatorKind::matmul, {x, w}, product, MatMulAttributes{});
    add(OperatorKind::bias_add, {product, b}, biased);
    add(OperatorKind::relu, {biased}, tensor("positive"));
    add(OperatorKind::tanh, {biased}, tensor("bent"));
    fuse(graph.operators, graph.tensors);
    CHECK(listing(graph) == Lines{"_FusedMatMul layer: x, w, b -> biased (MatMul + BiasAdd)",
                                  "Relu layer: biased -> positive", "Tanh layer: biased -> bent"});
}

TEST_CASE("a bias gradient folds into a weight gradient before it, and stays where it stands first") {
    const auto folded = [](bool bias_first) {
        Graph graph;
        const auto tensor = [&](const std::string& name) {
            return graph.add_tensor({name, {2}, TensorRole::activation, true});
        };
        const auto x = tensor("x"), dy = tensor("dy"), dw = tensor("dw"), db = tensor("db");
        const Operator of_weight{
            OperatorKind::conv2d_backprop_filter, "c", Pass::backward, {x, dy}, {dw}, WindowAttributes{}, {}};
        const Operator of_bias{OperatorKind::bias_add_grad, "c", Pass::backward, {dy}, {db}, {}, {}};
        const Operator sum{OperatorKind::assign_add, "c", Pass::backward, {tensor("sum"), db}, {}, {}, {}};
        if (bias_first) {
            graph.operators = {of_bias, sum, of_weight};
        } else {
            graph.operators = {of_weight, of_bias, sum};
        }
        fuse(graph.operators, graph.tensors);
        return graph.operators.size();
    };
    CHECK(folded(false) == 2);
    CHECK(folded(true) == 3);  // folded behind its reader, the sum would have an older gradient
}

TEST_CASE("evaluation has no dropout and ends in probabilities") {
    const ModelSpec model{
        "small", {4}, {{"o", DropoutLayer{0.5}}, {"d", DenseLayer{3, Activation::softmax}}}};
    CHECK(listing(fused(evaluation_graph(model, {4}, 3))) ==
          Lines{"Dataset batch:  -> images", "Dataset labels:  -> labels",
                "_FusedMatMul d: images, d.weight, d.bias -> d/biased (MatMul + BiasAdd)",
                "SparseSoftmaxCrossEntropyWithLogits loss: d/biased, labels -> metrics",
                "Softmax probabilities: d/biased -> probabilities"});
}

TEST_CASE("batch normalisation, additions and penalties of a residual block fold as the header tells") {
    const auto pointwise = [](double l2) { return Conv2dLayer{.filters = 2, .kernel = 1, .l2 = l2}; };
    const ModelSpec model{"block",
                          {2, 4, 4},
                          {{"c1", pointwise(0.5)},
                           {"n", BatchNormLayer{.activation = Activation::relu}},
                           {"c2", pointwise(0.0)},
                           {"a", AddLayer{}, {"c1", "c2"}},
                           {"f", FlattenLayer{}},
                           {"d", DenseLayer{.units = 3}}}};
    const auto lines = listing(fused(training_graph(model, Sgd{}, {2, 4, 4}, 3)));
    const auto has = [&](const std::string& line) { return std::ranges::count(lines, line) == 1; };
    CHECK(
        has("_FusedBatchNormRelu n: c1/biased, n.gamma, n.beta, n.moving_mean, n.moving_variance -> n/relu, "
            "n/mean, "
            "n/variance, n.moving_mean, n.moving_variance (FusedBatchNorm + Relu)"));
    CHECK(has("_FusedConv2D c2: n/relu, c2.weight, c2.bias, c1/biased -> a/sum (Conv2D + BiasAdd + AddV2)"));
    CHECK(
        has("_FusedBatchNormGradRelu n: c1/biased, n/relu/gradient, n.gamma, n.beta, n/mean, n/variance, "
            "a/sum/gradient -> c1/biased/gradient_sum_2, n.gamma/gradient, n.beta/gradient "
            "(ReluGrad + FusedBatchNormGrad + AddN)"));
    CHECK(has("_FusedSquareSum c1.weight: c1.weight -> c1.weight/l2 (Square + Sum + Mul)"));
    CHECK(has("AddN l2: c1.weight/l2 -> l2"));
    CHECK(has(
        "ResourceApplyGradientDescent c1.weight: c1.weight, c1.weight/gradient -> c1.weight (Mul + AddN)"));
    for (const auto* gone : {"AddV2", "Relu ", "ReluGrad", "Square ", "Mul "}) {
        INFO(gone);
        CHECK(std::ranges::none_of(lines, [&](const std::string& line) { return line.starts_with(gone); }));
    }
}

TEST_CASE("an addition stays where the convolution's result is read twice, or its kernel is no point") {
    const auto fused_additions = [](std::int64_t kernel, const std::string& read_again) {
        const Conv2dLayer conv2{.filters = 2, .kernel = kernel, .padding = Padding::same};
        const ModelSpec model{"block",
                              {2, 4, 4},
                              {{"c", conv2, {"images"}},
                               {"a", AddLayer{}, {"images", "c"}},
                               {"b", AddLayer{}, {"a", read_again}},
                               {"f", FlattenLayer{}},
                               {"d", DenseLayer{.units = 3}}}};
        const auto graph = fused(training_graph(model, Sgd{}, {2, 4, 4}, 3));
        return 2 - std::ranges::count(graph.operators, OperatorKind::add, &Operator::kind);
    };
    CHECK(fused_additions(1, "images") == 1);
    CHECK(fused_additions(1, "c") == 0);
    CHECK(fused_additions(3, "images") == 0);
}
