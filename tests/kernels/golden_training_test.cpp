#include <catch2/catch.hpp>

#include "graph/clipping.hpp"
#include "kernels/backends.hpp"
#include "kernels/comparison.hpp"
#include "kernels/golden.hpp"
#include "kernels/steps.hpp"
#include "nn/network.hpp"
#include "support/fused.hpp"

/// Ten training steps of a small network with every optimizer, against PyTorch (golden/make_golden.py).
using namespace convoy;
using namespace convoy::test;

namespace {

constexpr std::int64_t batch_size = 8;
const Shape training_image{1, 12, 11};

ModelSpec golden_network() {
    return {"small",
            training_image,
            {{"conv1", Conv2dLayer{5, 3, 2, Padding::same, Activation::relu}},
             {"conv2", Conv2dLayer{6, 3, 1, Padding::valid, Activation::tanh}},
             {"pool", PoolLayer{PoolKind::max, 2, 2, Padding::valid}},
             {"flatten", FlattenLayer{}},
             {"dense1", DenseLayer{12, Activation::relu}},
             {"dense2", DenseLayer{10, Activation::softmax}}}};
}

/// The optimizers by their names in the golden files, with the same settings as there.
std::vector<std::pair<std::string, OptimizerSpec>> optimizers() {
    return {{"sgd", Sgd{.learning_rate = 0.1}},
            {"momentum", Sgd{.learning_rate = 0.05, .momentum = 0.9}},
            {"adagrad", Adagrad{.learning_rate = 0.05, .initial_accumulator = 0.1, .epsilon = 1e-7}},
            {"adadelta", Adadelta{.learning_rate = 1.0, .rho = 0.95, .epsilon = 1e-7}},
            {"adam", Adam{.learning_rate = 0.01, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-7}}};
}

OwnedBatch golden_batch(std::int64_t step) {
    static const auto images = golden_floats("train_images");
    static const auto labels = golden_integers("train_labels");
    OwnedBatch batch = random_batch(batch_size, {1}, 2, 1);
    const auto pixels = batch_size * training_image.elements();
    batch.values.assign(images.begin() + step * pixels, images.begin() + (step + 1) * pixels);
    batch.labels.assign(labels.begin() + step * batch_size, labels.begin() + (step + 1) * batch_size);
    return batch;
}

/// Cuts one row of values into the parameters, in the network's order.
void write_parameters(Backend& backend, const Program& program, const std::vector<float>& values) {
    std::size_t from = 0;
    for (const auto& parameter : program.parameters) {
        const auto& info = program.tensor(parameter.value);
        const auto elements = static_cast<std::size_t>(info.shape.elements());
        backend.write(info.name, std::span(values).subspan(from, elements));
        from += elements;
    }
    REQUIRE(from == values.size());
}

std::vector<float> read_parameters(const Backend& backend, const Program& program) {
    std::vector<float> values;
    for (const auto& parameter : program.parameters) {
        const auto part = backend.read(program.tensor(parameter.value).name);
        values.insert(values.end(), part.begin(), part.end());
    }
    return values;
}

struct Trained {
    std::vector<float> losses;
    std::vector<float> norms;      ///< of the gradients, where they are clipped by it
    std::vector<float> penalties;  ///< where the network has one
    std::vector<float> weights;
};

/// Trains from the golden initial weights on the golden batches.
Trained ten_steps(const BackendFactory& factory, const Graph& graph) {
    const std::vector programs{instantiate(graph, ProgramKind::train, {0, 1, batch_size, batch_size})};
    const auto backend = factory.make();
    const auto bound = backend->bind(programs);
    write_parameters(*backend, programs[0], golden_floats("train_initial"));
    write_slot_starts(*backend, programs[0]);
    Trained trained;
    for (std::int64_t step = 0; step < golden_steps; ++step) {
        run_step(*bound[0], golden_batch(step), step);
        trained.losses.push_back(static_cast<float>(bound[0]->metrics().loss_sum / batch_size));
        if (const auto norm = bound[0]->told(TensorRole::gradient_norm))
            trained.norms.push_back(static_cast<float>(*norm));
        if (const auto penalty = bound[0]->told(TensorRole::penalty))
            trained.penalties.push_back(static_cast<float>(*penalty));
    }
    trained.weights = read_parameters(*backend, programs[0]);
    return trained;
}

}  // namespace

TEST_CASE("ten training steps agree with PyTorch") {
    for (const auto& factory : backend_factories()) {
        LargestDifference largest(factory.name + ", ten training steps against PyTorch");
        for (const auto& [name, optimizer] : optimizers()) {
            for (const bool fusion : {false, true}) {
                INFO(factory.name << ", " << name << (fusion ? ", fused" : ""));
                const auto graph =
                    fused(training_graph(golden_network(), optimizer, training_image, 10), fusion);
                const auto trained = ten_steps(factory, graph);
                const auto loss = relative_difference(trained.losses, golden("train_" + name + "_losses"));
                const auto weights = relative_difference(trained.weights, golden("train_" + name + "_final"));
                CHECK(loss <= 1e-4);
                CHECK(weights <= 1e-4);
                largest.add(name + " losses", loss);
                largest.add(name + " weights", weights);
            }
        }
    }
}

namespace {

/// A way of training by its name in the golden files, with the same settings as there.
struct Clipped {
    std::string name;
    OptimizerSpec optimizer;
    GradientClipping clipping;
};

const std::vector<Clipped>& clipped() {
    static const std::vector<Clipped> all{
        {"sgd_global_norm", Sgd{.learning_rate = 0.1}, {ClipBy::global_norm, 1.0}},
        {"sgd_norm", Sgd{.learning_rate = 0.1}, {ClipBy::norm, 0.5}},
        {"sgd_value", Sgd{.learning_rate = 0.1}, {ClipBy::value, 0.05}},
        {"adadelta_global_norm", Adadelta{.learning_rate = 1.0}, {ClipBy::global_norm, 1.0}}};
    return all;
}

}  // namespace

TEST_CASE("ten steps with clipped gradients agree with PyTorch, and the norm is told") {
    for (const auto& factory : backend_factories()) {
        for (const auto& [name, optimizer, clipping] : clipped()) {
            INFO(factory.name << ", " << name);
            auto graph = training_graph(golden_network(), optimizer, training_image, 10);
            clip_gradients(graph, clipping);
            graph = fused(std::move(graph));
            const auto [losses, norms, penalties, weights] = ten_steps(factory, graph);
            CHECK(relative_difference(losses, golden("clip_" + name + "_losses")) <= 1e-4);
            CHECK(penalties.empty());
            CHECK(relative_difference(weights, golden("clip_" + name + "_final")) <= 1e-4);
            CHECK(norms.empty() == (clipping.by != ClipBy::global_norm));
            if (!norms.empty()) CHECK(relative_difference(norms, golden("clip_" + name + "_norms")) <= 1e-4);
        }
    }
}

TEST_CASE("ten steps with a penalty on convolutions and dense layers agree with PyTorch") {
    auto network = golden_network();
    for (auto& spec : network.layers) {
        if (auto* convolution = std::get_if<Conv2dLayer>(&spec.layer)) convolution->l2 = 0.01;
        if (auto* dense = std::get_if<DenseLayer>(&spec.layer)) dense->l2 = 0.01;
    }
    for (const auto& factory : backend_factories()) {
        for (const bool fusion : {false, true}) {
            INFO(factory.name << (fusion ? ", fused" : ""));
            const auto graph =
                fused(training_graph(network, Sgd{.learning_rate = 0.1}, training_image, 10), fusion);
            const auto trained = ten_steps(factory, graph);
            CHECK(relative_difference(trained.losses, golden("penalty_losses")) <= 1e-4);
            CHECK(relative_difference(trained.penalties, golden("penalty_penalties")) <= 1e-4);
            CHECK(relative_difference(trained.weights, golden("penalty_final")) <= 1e-4);
        }
    }
}
