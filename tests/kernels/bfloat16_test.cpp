#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "base/bfloat16.hpp"
#include "kernels/backends.hpp"
#include "kernels/case_lists.hpp"
#include "kernels/comparison.hpp"
#include "kernels/steps.hpp"
#include "nn/network.hpp"
#include "nn/zoo.hpp"
#include "support/fused.hpp"

/// What is computed in bfloat16 against the reference in double precision and against float32. bfloat16 has 8
/// significant bits: a rounded value is off by at most 2^-8 of itself. Inputs are values that
/// bfloat16 holds exactly, so that what differs is rounded on the way.
using namespace convoy;
using namespace convoy::test;

namespace {

std::unique_ptr<Backend> bfloat16_backend(int threads = 1) {
    KernelSpec spec;
    spec.compute_type = ComputeType::bfloat16;
    return make_onednn_backend(spec, threads, threads);
}

std::vector<float> rounded(std::vector<float> values) {
    for (auto& value : values) value = to_float(to_bfloat16(value));
    return values;
}

/// Random parameters that bfloat16 holds exactly, so that all back-ends begin with the same.
void write_exact_parameters(Backend& backend, const Program& program) {
    write_random_parameters(backend, program);
    for (const auto& parameter : program.parameters) {
        const auto& name = program.tensor(parameter.value).name;
        backend.write(name, rounded(backend.read(name)));
    }
}

OwnedBatch exact_batch(const Program& program, std::int64_t classes) {
    const auto& shape = program.tensors[0].shape;
    auto batch = random_batch(program.batch, Shape(std::vector(shape.begin() + 1, shape.end())), classes, 3);
    batch.values = rounded(batch.values);
    return batch;
}

std::vector<float> result_of(Backend& backend, const OperatorCase& one) {
    const std::vector programs{one.program};
    const auto bound = backend.bind(programs);
    write_exact_parameters(backend, one.program);
    run_step(*bound[0], exact_batch(one.program, one.program.tensors[0].shape[1]));
    return bound[0]->read(one.result);
}

void compare_bfloat16(const std::vector<OperatorCase>& cases, const std::string& what) {
    LargestDifference largest("bfloat16, " + what + " against the reference");
    for (const auto& one : cases) {
        INFO(one.name << " of a batch of " << one.program.batch);
        XtensorBackend<double> reference;
        const auto expected = result_of(reference, one);
        const auto found = result_of(*bfloat16_backend(), one);
        const auto difference = relative_difference(found, expected);
        // Three in a row, at most: of y, of a gradient computed from it, of what is stored.
        CHECK(difference <= 3 * bfloat16_rounding);
        largest.add(one.name, difference);
    }
}

/// Multiplies every value by a random number next to 1, as far from it as one rounding takes.
void shake(std::vector<float>& values, std::uint32_t key) {
    const auto by = random_values(static_cast<std::int64_t>(values.size()), key);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] *= 1.0F + static_cast<float>(bfloat16_rounding) * by[i];
}

struct TakenStep {
    double loss = 0.0;
    std::vector<std::vector<float>> gradients;
};

/// One step from parameters and images that bfloat16 holds exactly, or from shaken ones.
TakenStep take_step(Backend& backend, const std::vector<Program>& programs, bool shaken) {
    const auto bound = backend.bind(programs);
    write_exact_parameters(backend, programs[0]);
    auto batch = exact_batch(programs[0], 10);
    std::uint32_t key = 5000;
    if (shaken) shake(batch.values, key);
    for (const auto& parameter : programs[0].parameters) {
        const auto& name = programs[0].tensor(parameter.value).name;
        auto values = backend.read(name);
        if (shaken) shake(values, ++key);
        backend.write(name, values);
    }
    run_step(*bound[0], batch);
    TakenStep result{bound[0]->metrics().loss_sum, {}};
    for (const auto& parameter : programs[0].parameters) {
        if (parameter.trained) result.gradients.push_back(bound[0]->read(parameter.gradient));
    }
    return result;
}

double norm(const std::vector<float>& values) {
    double squares = 0.0;
    for (const double value : values) squares += value * value;
    return std::sqrt(squares);
}

double distance(std::vector<float> a, const std::vector<float>& b) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
    return norm(a);
}

/// How far a step's gradients may be off depends on the network: a rounding that flips a ReLU or another
/// maximum moves them far. So the reference tells: by as much as its own move when images and parameters are
/// shaken by one rounding, times 5 since what operators hand on is rounded too, and two roundings of their
/// own.
void compare_step(const ModelSpec& model, std::int64_t examples, bool fusion) {
    INFO(model.name << ", " << examples << " examples" << (fusion ? ", fused" : ""));
    const auto graph = fused(training_graph(model, Sgd{}, model.input, 10), fusion);
    const std::vector programs{instantiate(graph, ProgramKind::train, {0, 1, examples, examples})};
    XtensorBackend<double> reference;
    XtensorBackend<double> other_reference;
    const auto expected = take_step(reference, programs, false);
    const auto shaken = take_step(other_reference, programs, true);
    const auto found = take_step(*bfloat16_backend(), programs, false);
    CHECK(std::abs(found.loss - expected.loss) <= 2 * bfloat16_rounding * expected.loss);
    double largest = 0.0;
    for (const auto& gradient : expected.gradients) largest = std::max(largest, norm(gradient));
    for (std::size_t i = 0; i < expected.gradients.size(); ++i) {
        INFO("gradient " << i);
        const auto own = norm(expected.gradients[i]);
        const auto difference = distance(found.gradients[i], expected.gradients[i]);
        // Those of biases before a batch normalisation are zero but for rounding.
        if (own < 1e-6 * largest) {
            CHECK(difference <= bfloat16_rounding * largest);
        } else {
            CHECK(difference <=
                  5 * distance(shaken.gradients[i], expected.gradients[i]) + 2 * bfloat16_rounding * own);
        }
    }
}

/// Losses of so many steps on one batch.
std::vector<double> losses_of(Backend& backend, const ModelSpec& model, int steps) {
    constexpr std::int64_t examples = 16;
    const auto graph =
        fused(training_graph(model, Sgd{.learning_rate = 0.05, .momentum = 0.9}, model.input, 10));
    const std::vector programs{instantiate(graph, ProgramKind::train, {0, 1, examples, examples})};
    const auto bound = backend.bind(programs);
    write_random_parameters(backend, programs[0]);
    std::vector<double> losses;
    const auto batch = random_batch(examples, model.input, 10, 4);
    for (int step = 0; step < steps; ++step) {
        run_step(*bound[0], batch, step);
        losses.push_back(bound[0]->metrics().loss_sum / examples);
    }
    return losses;
}

ModelSpec convolving_network() {
    const LayerSpec convolution{
        "conv", Conv2dLayer{.filters = 16, .kernel = 3, .stride = 1, .padding = Padding::same}};
    return {"small",
            {3, 12, 12},
            {convolution,
             {"norm", BatchNormLayer{.activation = Activation::relu}},
             {"pool", PoolLayer{.kind = PoolKind::max, .size = 2, .stride = 2}},
             {"conv2", Conv2dLayer{.filters = 32, .kernel = 3, .activation = Activation::relu}},
             {"flatten", FlattenLayer{}},
             {"classes", DenseLayer{.units = 10, .activation = Activation::softmax}}}};
}

}  // namespace

TEST_CASE("bfloat16: operators agree with the reference") {
    compare_bfloat16(odd_cases(), "operators of odd shapes");
    compare_bfloat16(mnist_cnn_cases(5), "operators of mnist_cnn");
}

TEST_CASE("bfloat16: whole steps are off by what rounding makes of them") {
    const auto mnist_cnn = resolve_model({.name = "mnist_cnn", .input = {}, .layers = {}});
    const auto resnet = resolve_model({.name = "resnet_v2", .input = {}, .layers = {}, .depth = 11});
    for (const bool fusion : {false, true}) {
        compare_step(mnist_cnn, 32, fusion);
        compare_step(residual_network(), 7, fusion);
        compare_step(joining_network(), 6, fusion);
        compare_step(resnet, 4, fusion);
    }
}

TEST_CASE("bfloat16: losses of ten steps stay near those of float32, and differ where the processor can") {
    const auto single = make_onednn_backend({}, 1, 1);
    const auto expected = losses_of(*single, convolving_network(), 10);
    const auto found = losses_of(*bfloat16_backend(), convolving_network(), 10);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        INFO("step " << i);
        CHECK(found[i] == Approx(expected[i]).epsilon(0.02));
    }
    const KernelSpec wish{.compute_type = ComputeType::bfloat16};
    CHECK((found != expected) == (onednn_compute_type(wish) == ComputeType::bfloat16));
    CHECK(found.back() < 0.5 * found.front());
}
