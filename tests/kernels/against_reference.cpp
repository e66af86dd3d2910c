#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <deque>
#include <iterator>
#include <optional>

#include "kernels/backends.hpp"
#include "kernels/comparison.hpp"
#include "kernels/operator_cases.hpp"
#include "kernels/steps.hpp"
#include "nn/network.hpp"
#include "nn/zoo.hpp"

/// Every back-end against the reference in double precision: operator by operator, then whole steps.
using namespace convoy;
using namespace convoy::test;

namespace {

constexpr double tolerance = 1e-4;

struct Result {
    std::vector<float> values;
    StepMetrics metrics;
};

Result run_case(Backend& backend, const OperatorCase& one, const OwnedBatch& batch) {
    const std::vector programs{one.program};
    const auto bound = backend.bind(programs);
    write_random_parameters(backend, one.program);
    run_step(*bound[0], batch);
    return {bound[0]->read(one.result), bound[0]->metrics()};
}

OwnedBatch batch_for(const Program& program) {
    const auto& shape = program.tensors[0].shape;
    const Shape example(std::vector(shape.begin() + 1, shape.end()));
    return random_batch(program.batch, example, example[0], 3);
}

void compare(const std::vector<OperatorCase>& cases, const std::string& what) {
    const auto factories = backend_factories();
    std::deque<LargestDifference> largest;
    for (const auto& factory : factories)
        largest.emplace_back(factory.name + ", " + what + " against the reference");
    for (const auto& one : cases) {
        const auto batch = batch_for(one.program);
        XtensorBackend<double> reference;
        const auto expected = run_case(reference, one, batch);
        for (std::size_t i = 0; i < factories.size(); ++i) {
            INFO(factories[i].name << ": " << one.name << " of a batch of " << one.program.batch);
            const auto backend = factories[i].make();
            const auto found = run_case(*backend, one, batch);
            const auto difference = relative_difference(found.values, expected.values);
            CHECK(difference <= tolerance);
            CHECK(found.metrics.correct == expected.metrics.correct);
            CHECK(found.metrics.loss_sum == Approx(expected.metrics.loss_sum).epsilon(tolerance));
            largest[i].add(one.name, difference);
        }
    }
}

void append(std::vector<OperatorCase>& all, std::vector<OperatorCase> more) {
    std::ranges::move(more, std::back_inserter(all));
}

/// Shapes that the vector units of a processor do not divide, strides, paddings and windows of all kinds.
std::vector<OperatorCase> odd_cases() {
    std::vector<OperatorCase> all;
    const std::vector<WindowCase> convolutions{
        {{1, 1, 1}, 1, 1, 1, Padding::valid},  {{3, 5, 9}, 7, 3, 1, Padding::same},
        {{16, 8, 8}, 16, 3, 1, Padding::same}, {{5, 9, 7}, 17, 5, 2, Padding::same},
        {{2, 7, 7}, 33, 2, 2, Padding::valid}, {{9, 4, 6}, 3, 4, 3, Padding::same}};
    for (const auto& window : convolutions) {
        append(all, convolution_cases("conv_" + window.image.text(), 3, window));
    }
    const std::vector<WindowCase> pools{
        {.image = {3, 6, 7}, .size = 2, .stride = 2, .padding = Padding::valid},
        {.image = {17, 5, 5}, .size = 3, .stride = 1, .padding = Padding::same},
        {.image = {1, 7, 9}, .size = 3, .stride = 2, .padding = Padding::same},
        {.image = {8, 4, 4}, .size = 2, .stride = 3, .padding = Padding::valid}};
    for (const auto& window : pools) {
        append(all, max_pool_cases("max_pool_" + window.image.text(), 2, window));
        append(all, average_pool_cases("average_pool_" + window.image.text(), 2, window));
    }
    for (const auto& image : {Shape{1, 1, 1}, Shape{3, 5, 7}, Shape{16, 4, 4}}) {
        append(all, elementwise_cases("elementwise_" + image.text(), 3, image));
        append(all, dropout_cases("dropout_" + image.text(), 3, image));
    }
    append(all, dense_cases("dense_1x1", 2, 1, 1));
    append(all, dense_cases("dense_37x19", 5, 37, 19));
    append(all, elementwise_cases("elementwise_row", 4, {33}));
    append(all, softmax_cases("classes_3", 4, 3));
    append(all, softmax_cases("classes_100", 9, 100));
    return all;
}

std::vector<OperatorCase> mnist_cnn_cases(std::int64_t batch) {
    std::vector<OperatorCase> all =
        convolution_cases("conv2d_1", batch, {{1, 28, 28}, 32, 3, 1, Padding::valid});
    append(all, convolution_cases("conv2d_2", batch, {{32, 26, 26}, 64, 3, 1, Padding::valid}));
    append(all, max_pool_cases("max_pool_1", batch, {.image = {64, 24, 24}, .size = 2, .stride = 2}));
    append(all, dropout_cases("dropout_1", batch, {64, 12, 12}));
    append(all, dense_cases("dense_1", batch, 9216, 128));
    append(all, dense_cases("dense_2", batch, 128, 10));
    append(all, softmax_cases("classes", batch, 10));
    return all;
}

/// The largest element of any gradient: those of biases before a batch normalisation are nothing but
/// rounding.
double largest_gradient(const BoundProgram& bound) {
    double largest = 0.0;
    for (const auto& parameter : bound.program().parameters) {
        if (!parameter.trained) continue;
        for (const auto value : bound.read(parameter.gradient))
            largest = std::max(largest, std::abs(static_cast<double>(value)));
    }
    return largest;
}

/// One training step on a network: loss, every gradient and every parameter behind it.
void compare_step(const ModelSpec& model, std::int64_t classes, std::int64_t examples, bool fusion) {
    const auto graph = training_graph(model, Adadelta{}, model.input, classes, fusion);
    const std::vector programs{instantiate(graph, ProgramKind::train, {0, 1, examples, examples})};
    const auto batch = random_batch(examples, model.input, classes, 4);
    XtensorBackend<double> reference;
    const auto expected = reference.bind(programs);
    write_random_parameters(reference, programs[0]);
    run_step(*expected[0], batch);
    for (const auto& factory : backend_factories()) {
        LargestDifference largest(fmt::format("{}, a step of {} on {} examples{} against the reference",
                                              factory.name, model.name, examples, fusion ? ", fused," : ""));
        const auto backend = factory.make();
        const auto found = backend->bind(programs);
        write_random_parameters(*backend, programs[0]);
        run_step(*found[0], batch);
        INFO(factory.name << ", " << model.name << ", " << examples << " examples"
                          << (fusion ? ", fused" : ""));
        CHECK(found[0]->metrics().loss_sum == Approx(expected[0]->metrics().loss_sum).epsilon(tolerance));
        CHECK(found[0]->metrics().correct == expected[0]->metrics().correct);
        const double least = largest_gradient(*expected[0]);
        for (const auto& parameter : programs[0].parameters) {
            const auto of = [&](TensorId id) {
                return parameter.trained || id == parameter.value ? std::optional(id) : std::nullopt;
            };
            for (const auto chosen : {of(parameter.gradient), of(parameter.value)}) {
                if (!chosen) continue;
                const auto id = *chosen;
                const auto& name = programs[0].tensor(id).name;
                INFO(name);
                const auto difference = relative_difference(found[0]->read(id), expected[0]->read(id), least);
                CHECK(difference <= tolerance);
                largest.add(name, difference);
            }
        }
    }
}

}  // namespace

TEST_CASE("operators of odd shapes agree with the reference in double precision") {
    compare(odd_cases(), "operators of odd shapes");
}

TEST_CASE("the operators of mnist_cnn agree with the reference in double precision") {
    const auto batch = GENERATE(1, 5, 32);
    compare(mnist_cnn_cases(batch), fmt::format("operators of mnist_cnn on {} examples", batch));
}

TEST_CASE("whole steps agree with the reference in double precision") {
    const auto mnist_cnn = resolve_model({.name = "mnist_cnn", .input = {}, .layers = {}});
    for (const bool fusion : {false, true}) {
        for (const auto examples : {1, 5, 32}) compare_step(mnist_cnn, 10, examples, fusion);
    }
}

TEST_CASE("batches that are convolved in parts, equal or not, agree with the reference") {
    const auto mnist_cnn = resolve_model({.name = "mnist_cnn", .input = {}, .layers = {}});
    compare_step(mnist_cnn, 10, 71, true);
    compare_step(mnist_cnn, 10, 37, false);
}

namespace {

/// Every way in which batch normalisation, sums and penalties meet: two branches of one tensor, a projection,
/// a sum of three, normalisation without ReLU, with tanh, of a row, and of channels that no vector register
/// divides.
ModelSpec residual_network() {
    const auto convolution = [](std::int64_t filters, std::int64_t kernel, std::int64_t stride) {
        return Conv2dLayer{
            .filters = filters, .kernel = kernel, .stride = stride, .padding = Padding::same, .l2 = 0.01};
    };
    const BatchNormLayer with_relu{.activation = Activation::relu};
    return {"residual",
            {3, 8, 8},
            {{"stem", convolution(16, 3, 1)},
             {"stem_norm", with_relu},
             {"a1", convolution(16, 1, 1)},
             {"a2", with_relu},
             {"a3", convolution(37, 1, 1)},
             {"a_shortcut", convolution(37, 1, 1), {"stem_norm"}},
             {"a", AddLayer{}, {"a_shortcut", "a3"}},
             {"b1", with_relu},
             {"b2", convolution(37, 3, 1)},
             {"b3", BatchNormLayer{.momentum = 0.5, .epsilon = 0.1, .activation = Activation::tanh}},
             {"b4", convolution(37, 1, 1)},
             {"b", AddLayer{.activation = Activation::relu}, {"a", "b4", "b2"}},
             {"c1", BatchNormLayer{}},
             {"c2", convolution(8, 1, 2)},
             {"flat", FlattenLayer{}},
             {"row_norm", with_relu},
             {"classes", DenseLayer{.units = 10, .activation = Activation::softmax}}}};
}

}  // namespace

TEST_CASE("residual networks with batch normalisation and penalties agree with the reference") {
    const auto resnet = resolve_model({.name = "resnet_v2", .input = {}, .layers = {}, .depth = 11});
    const auto flat_resnet = resolve_model({.name = "resnet_v1", .input = {}, .layers = {}, .depth = 8});
    for (const bool fusion : {false, true}) {
        compare_step(residual_network(), 10, 7, fusion);
        compare_step(resnet, 10, 4, fusion);
        compare_step(flat_resnet, 10, 3, fusion);
    }
}

TEST_CASE("networks whose gradient comes back flat agree with the reference") {
    const LayerSpec convolution{"conv",
                                Conv2dLayer{.filters = 16, .kernel = 3, .activation = Activation::relu}};
    const LayerSpec flatten{"flat", FlattenLayer{}};
    const LayerSpec softmax{"classes", ActivationLayer{Activation::softmax}};
    const LayerSpec average{"average", PoolLayer{.kind = PoolKind::average, .size = 4, .stride = 4}};
    const LayerSpec dropout{"dropout", DropoutLayer{.rate = 0.5}};
    for (const bool fusion : {false, true}) {
        compare_step({"conv_flatten", {2, 5, 5}, {convolution, flatten, softmax}}, 16 * 9, 3, fusion);
        compare_step({"global_average", {2, 6, 6}, {convolution, average, flatten, softmax}}, 16, 3, fusion);
        compare_step({"dropout_behind", {2, 6, 6}, {convolution, average, flatten, dropout}}, 16, 3, fusion);
    }
}
