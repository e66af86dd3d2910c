#include <catch2/catch.hpp>
#include <cmath>

#include "kernels/steps.hpp"
#include "kernels/xtensor/xtensor_backend.hpp"
#include "nn/network.hpp"
#include "support/fused.hpp"

/// The gradients of whole networks, in double precision, against central differences of the loss.
using namespace convoy;
using namespace convoy::test;

namespace {

constexpr double half_step = 1e-5;
constexpr std::int64_t gradient_examples = 3;

LayerSpec dense(const std::string& name, std::int64_t units, Activation activation) {
    return {name, DenseLayer{.units = units, .activation = activation}};
}

LayerSpec flatten() {
    return {"flatten", FlattenLayer{}};
}

/// Networks that between them hold every layer, activation, padding and stride.
std::vector<ModelSpec> networks() {
    const auto conv = [](const std::string& name, Conv2dLayer layer) { return LayerSpec{name, layer}; };
    const auto pool = [](const std::string& name, PoolLayer layer) { return LayerSpec{name, layer}; };
    return {
        {"valid convolutions, relu, max pooling, dropout",
         {2, 9, 8},
         {conv("c1", {.filters = 3, .kernel = 3, .activation = Activation::relu}),
          conv("c2", {.filters = 4, .kernel = 2, .activation = Activation::relu}),
          pool("p", {.kind = PoolKind::max, .size = 2, .stride = 2}),
          {"d1", DropoutLayer{0.25}},
          flatten(),
          dense("f1", 6, Activation::relu),
          {"d2", DropoutLayer{0.5}},
          dense("f2", 4, Activation::softmax)}},
        {"same convolutions with strides, tanh, overlapping max pooling with padding",
         {1, 7, 10},
         {conv("c1", {.filters = 3,
                      .kernel = 4,
                      .stride = 2,
                      .padding = Padding::same,
                      .activation = Activation::tanh}),
          pool("p", {.kind = PoolKind::max, .size = 3, .stride = 2, .padding = Padding::same}),
          conv("c2", {.filters = 2, .kernel = 3, .stride = 1, .padding = Padding::same}), flatten(),
          dense("f", 3, Activation::none)}},
        {"sigmoid, average pooling with padding, strided valid convolution",
         {3, 11, 7},
         {conv("c1", {.filters = 2, .kernel = 3, .stride = 2, .activation = Activation::sigmoid}),
          pool("p1", {.kind = PoolKind::average, .size = 3, .stride = 2, .padding = Padding::same}),
          conv("c2", {.filters = 5, .kernel = 1, .stride = 1, .activation = Activation::tanh}),
          pool("p2", {.kind = PoolKind::average, .size = 2, .stride = 1, .padding = Padding::valid}),
          flatten(), dense("f", 3, Activation::softmax)}},
        {"softmax in the middle, activations as layers, dropout on images",
         {1, 5, 5},
         {{"d", DropoutLayer{0.3}},
          conv("c", {.filters = 2, .kernel = 5, .padding = Padding::same}),
          {"a1", ActivationLayer{Activation::relu}},
          flatten(),
          dense("f1", 6, Activation::softmax),
          dense("f2", 5, Activation::none),
          {"a2", ActivationLayer{Activation::tanh}},
          dense("f3", 4, Activation::sigmoid),
          {"a3", ActivationLayer{Activation::softmax}}}},
        {"relu before and after dropout and pooling",
         {1, 6, 6},
         {conv("c1", {.filters = 3, .kernel = 3, .activation = Activation::relu}),
          {"d1", DropoutLayer{0.4}},
          pool("p", {.kind = PoolKind::max, .size = 2, .stride = 2}),
          {"a", ActivationLayer{Activation::relu}},
          conv("c2", {.filters = 3, .kernel = 2, .activation = Activation::relu}),
          flatten(),
          dense("f", 3, Activation::softmax)}},
        {"branches, batch normalisation of planes and rows, sums of two and three",
         {2, 6, 6},
         {conv("c1", {.filters = 4, .kernel = 3, .padding = Padding::same}),
          {"n1", BatchNormLayer{.activation = Activation::relu}},
          conv("c2", {.filters = 4, .kernel = 1}),
          {"s1", AddLayer{}, {"n1", "c2"}},
          {"n2", BatchNormLayer{.epsilon = 0.1}},
          conv("c3", {.filters = 4, .kernel = 3, .padding = Padding::same, .activation = Activation::tanh}),
          {"s2", AddLayer{.activation = Activation::relu}, {"c3", "s1", "n1"}},
          pool("p", {.kind = PoolKind::average, .size = 6, .stride = 6}),
          flatten(),
          {"n3", BatchNormLayer{.activation = Activation::sigmoid}},
          dense("f", 3, Activation::softmax)}},
        {"a ReLU of a sum in which only one part is normalised",
         {2, 4, 4},
         {{"n", BatchNormLayer{}, {"images"}},
          {"s", AddLayer{.activation = Activation::relu}, {"images", "n"}},
          pool("p", {.kind = PoolKind::average, .size = 2, .stride = 2}),
          flatten(),
          dense("f", 3, Activation::softmax)}},
        {"leaky relu behind a bias, max pooling, dropout and batch normalisation, of a sum and by itself",
         {2, 7, 7},
         {conv("c1", {.filters = 3, .kernel = 2, .activation = {Activation::leaky_relu, 0.3}}),
          pool("p", {.kind = PoolKind::max, .size = 2, .stride = 2}),
          {"d", DropoutLayer{0.25}},
          {"n", BatchNormLayer{.activation = Activation::leaky_relu}},
          conv("c2", {.filters = 3, .kernel = 1}),
          {"s", AddLayer{.activation = {Activation::leaky_relu, 0.2}}, {"n", "c2"}},
          {"p2", PoolLayer{.kind = PoolKind::max, .size = 3, .stride = 1}},
          {"a", ActivationLayer{{Activation::leaky_relu, 0.5}}},
          flatten(),
          dense("f1", 5, {Activation::leaky_relu, 0.1}),
          {"d2", DropoutLayer{0.25}},
          dense("f2", 3, Activation::softmax)}},
        {"grouped and depthwise convolutions, some without a bias",
         {2, 6, 7},
         {conv("c1", {.filters = 4, .kernel = 3, .groups = 2, .bias = false}),
          {"n", BatchNormLayer{.activation = Activation::relu}},
          conv("c2", {.filters = 8, .kernel = 3, .stride = 2, .padding = Padding::same, .groups = 4}),
          conv("c3", {.filters = 4, .kernel = 1, .activation = Activation::tanh, .groups = 2, .bias = false}),
          {"mean", GlobalAveragePoolLayer{}},
          dense("f", 3, Activation::softmax)}},
        {"convolutions and poolings of sequences",
         {2, 1, 15},
         {{"c1", Conv1dLayer{.filters = 4, .kernel = 3, .activation = Activation::tanh}},
          {"p1", Pool1dLayer{.kind = PoolKind::max, .size = 3, .stride = 2, .padding = Padding::same}},
          {"c2",
           Conv1dLayer{
               .filters = 4, .kernel = 4, .stride = 2, .padding = Padding::same, .groups = 2, .bias = false}},
          {"p2", Pool1dLayer{.kind = PoolKind::average, .size = 2, .stride = 1}},
          flatten(),
          dense("f", 3, Activation::softmax)}},
        {"a global pooling of planes that are no squares",
         {2, 5, 7},
         {conv("c", {.filters = 3, .kernel = 2, .activation = Activation::tanh}),
          {"mean", GlobalAveragePoolLayer{}},
          dense("f", 3, Activation::softmax)}},
        {"concatenations of planes and of rows, of one layer twice",
         {2, 6, 6},
         {conv("c1", {.filters = 3, .kernel = 3, .activation = Activation::relu}),
          conv("c2", {.filters = 2, .kernel = 3, .padding = Padding::same, .activation = Activation::tanh}),
          {"j1", ConcatLayer{}, {"c1", "c2", "c1"}},
          pool("p", {.kind = PoolKind::max, .size = 2, .stride = 2}),
          flatten(),
          dense("f1", 5, Activation::relu),
          {"j2", ConcatLayer{}, {"f1", "flatten"}},
          dense("f2", 3, Activation::softmax)}},
    };
}

/// The loss of one step, per example.
double mean_loss(BoundProgram& program, const OwnedBatch& batch) {
    run_step(program, batch);
    return program.metrics().loss_sum / static_cast<double>(gradient_examples);
}

/// The derivative of the mean loss with respect to one value.
double central_difference(BoundProgram& program, const OwnedBatch& batch, double& value) {
    const auto before = value;
    value = before + half_step;
    const auto above = mean_loss(program, batch);
    value = before - half_step;
    const auto below = mean_loss(program, batch);
    value = before;
    return (above - below) / (2.0 * half_step);
}

/// The largest element of any gradient: those of biases before a batch normalisation are nothing but
/// rounding.
double largest_gradient(XtensorBackend<double>& backend, const Program& program) {
    double largest = 0.0;
    for (const auto& parameter : program.parameters) {
        if (!parameter.trained) continue;
        for (const auto value : backend.values(program.tensor(parameter.gradient).name))
            largest = std::max(largest, std::abs(value));
    }
    return largest;
}

/// Largest difference between a gradient and its central differences, over the gradient's largest element, or
/// a hundredth of the largest of any gradient.
double gradient_error(XtensorBackend<double>& backend, BoundProgram& program, const OwnedBatch& batch,
                      const Parameter& parameter) {
    mean_loss(program, batch);
    const auto found = backend.values(program.program().tensor(parameter.gradient).name);
    const std::vector<double> gradient(found.begin(), found.end());
    const double least = 0.01 * largest_gradient(backend, program.program());
    double largest = 0.0;
    double error = 0.0;
    const auto values = backend.values(program.program().tensor(parameter.value).name);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        error = std::max(error, std::abs(gradient[i] - central_difference(program, batch, values[i])));
        largest = std::max(largest, std::abs(gradient[i]));
    }
    CHECK(largest > 0.0);
    return error / std::max(largest, least);
}

}  // namespace

TEST_CASE("gradients of every layer agree with finite differences") {
    const auto fusion = GENERATE(false, true);
    const auto network = GENERATE(from_range(networks()));
    const auto classes = std::get_if<DenseLayer>(&network.layers.back().layer) != nullptr
                             ? std::get<DenseLayer>(network.layers.back().layer).units
                             : 4;
    // A learning rate of 0 leaves the weights where they are.
    const auto graph =
        fused(training_graph(network, Sgd{.learning_rate = 0.0}, network.input, classes), fusion);
    const std::vector programs{instantiate(
        graph, ProgramKind::train,
        {.rank = 0, .world_size = 1, .batch = gradient_examples, .layout_batch = gradient_examples})};
    XtensorBackend<double> backend;
    const auto bound = backend.bind(programs);
    write_random_parameters(backend, programs[0]);
    const auto batch = random_batch(gradient_examples, network.input, classes, 1);
    for (const auto& parameter : programs[0].parameters) {
        if (!parameter.trained) continue;
        INFO(network.name << (fusion ? ", fused, " : ", ") << programs[0].tensor(parameter.value).name);
        CHECK(gradient_error(backend, *bound[0], batch, parameter) <= 1e-6);
    }
}
