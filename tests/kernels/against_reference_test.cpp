#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <deque>
#include <optional>

#include "kernels/backends.hpp"
#include "kernels/case_lists.hpp"
#include "kernels/comparison.hpp"
#include "kernels/steps.hpp"
#include "nn/network.hpp"
#include "nn/zoo.hpp"
#include "support/fused.hpp"

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
    const auto graph = fused(training_graph(model, Adadelta{}, model.input, classes), fusion);
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

TEST_CASE("convolutions that Winograd's algorithm takes agree with the reference in double precision") {
    const auto batch = GENERATE(1, 5);
    compare(winograd_cases(batch), fmt::format("Winograd's convolutions on {} examples", batch));
}

TEST_CASE("convolutions that the own loops take agree with the reference in double precision") {
    const auto batch = GENERATE(1, 5);
    compare(own_loops_cases(batch), fmt::format("own convolutions on {} examples", batch));
}

TEST_CASE("the operators of mnist_cnn agree with the reference in double precision", "[large]") {
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

TEST_CASE("residual networks with batch normalisation and penalties agree with the reference") {
    const auto resnet = resolve_model({.name = "resnet_v2", .input = {}, .layers = {}, .depth = 11});
    const auto flat_resnet = resolve_model({.name = "resnet_v1", .input = {}, .layers = {}, .depth = 8});
    for (const bool fusion : {false, true}) {
        compare_step(residual_network(), 10, 7, fusion);
        compare_step(resnet, 10, 4, fusion);
        compare_step(flat_resnet, 10, 3, fusion);
    }
}

TEST_CASE("networks with grouped and depthwise convolutions agree with the reference") {
    for (const bool fusion : {false, true}) {
        for (const auto examples : {1, 6}) compare_step(grouped_network(), 10, examples, fusion);
    }
}

TEST_CASE("networks of sequences agree with the reference") {
    for (const bool fusion : {false, true}) {
        for (const auto examples : {1, 6}) compare_step(sequence_network(), 10, examples, fusion);
    }
}

TEST_CASE("networks that join branches agree with the reference") {
    for (const bool fusion : {false, true}) {
        for (const auto examples : {1, 6}) compare_step(joining_network(), 10, examples, fusion);
    }
}

TEST_CASE("networks of two inputs agree with the reference") {
    for (const bool fusion : {false, true}) {
        for (const auto examples : {1, 7, 32}) compare_step(two_input_network(), 4, examples, fusion);
    }
}

TEST_CASE("networks whose gradient comes back flat agree with the reference") {
    const LayerSpec convolution{"conv",
                                Conv2dLayer{.filters = 16, .kernel = 3, .activation = Activation::relu}};
    const LayerSpec flatten{"flat", FlattenLayer{}};
    const LayerSpec softmax{"classes", ActivationLayer{Activation::softmax}};
    const LayerSpec average{"average", PoolLayer{.kind = PoolKind::average, .size = 4, .stride = 4}};
    const LayerSpec dropout{"dropout", DropoutLayer{.rate = 0.5}};
    const LayerSpec mean{"mean", GlobalAveragePoolLayer{}};
    const LayerSpec dense{"dense", DenseLayer{.units = 7}};
    for (const bool fusion : {false, true}) {
        compare_step({"conv_flatten", {2, 5, 5}, {convolution, flatten, softmax}}, 16 * 9, 3, fusion);
        compare_step({"global_average", {2, 6, 6}, {convolution, average, flatten, softmax}}, 16, 3, fusion);
        compare_step({"dropout_behind", {2, 6, 6}, {convolution, average, flatten, dropout}}, 16, 3, fusion);
        compare_step({"global_pooling", {2, 6, 9}, {convolution, mean, softmax}}, 16, 3, fusion);
        compare_step({"dropout_behind_mean", {2, 6, 9}, {convolution, mean, dropout}}, 16, 3, fusion);
        compare_step({"mean_of_images", {5, 6, 9}, {mean, dense}}, 7, 3, fusion);
    }
}

TEST_CASE("networks whose channels are no whole blocks agree with the reference") {
    const LayerSpec first{"conv_1", Conv2dLayer{.filters = 12, .kernel = 3, .activation = Activation::relu}};
    const LayerSpec pool{"pool", PoolLayer{.kind = PoolKind::max, .size = 2, .stride = 2}};
    const LayerSpec second{"conv_2", Conv2dLayer{.filters = 21, .kernel = 3}};
    const LayerSpec norm{"norm", BatchNormLayer{}};
    const LayerSpec tanh{"tanh", ActivationLayer{Activation::tanh}};
    const LayerSpec average{"average", PoolLayer{.kind = PoolKind::average, .size = 2, .stride = 1}};
    const LayerSpec dropout{"dropout", DropoutLayer{.rate = 0.5}};
    const LayerSpec third{"conv_3", Conv2dLayer{.filters = 9, .kernel = 2, .activation = Activation::relu}};
    const LayerSpec flatten{"flat", FlattenLayer{}};
    const LayerSpec dense{"dense", DenseLayer{.units = 7}};
    for (const bool fusion : {false, true}) {
        for (const auto examples : {1, 6})
            compare_step({"odd_channels",
                          {3, 15, 14},
                          {first, pool, second, norm, tanh, average, dropout, third, flatten, dense}},
                         7, examples, fusion);
    }
}

TEST_CASE("networks whose convolutions the own loops take agree with the reference") {
    const auto network = own_loops_network();
    for (const bool fusion : {false, true})
        for (const auto examples : {1, 6}) compare_step(network, 10, examples, fusion);
}
