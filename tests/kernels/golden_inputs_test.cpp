#include <catch2/catch.hpp>

#include "kernels/backends.hpp"
#include "kernels/case_lists.hpp"
#include "kernels/comparison.hpp"
#include "kernels/golden.hpp"
#include "kernels/steps.hpp"
#include "nn/network.hpp"
#include "support/fused.hpp"

/// Ten training steps of a network with two inputs, against PyTorch (golden/make_golden_inputs.py).
using namespace convoy;
using namespace convoy::test;

namespace {

constexpr std::int64_t input_batch_size = 6;
constexpr std::int64_t input_classes = 4;

/// The rows of one step.
OwnedBatch golden_batch(const ExampleShape& shape, std::int64_t step) {
    static const auto rows = golden_floats("inputs_rows");
    static const auto labels = golden_integers("inputs_labels");
    auto batch = random_batch(input_batch_size, {1}, 2, 1);
    const auto values = input_batch_size * shape.elements();
    batch.values.assign(rows.begin() + step * values, rows.begin() + (step + 1) * values);
    batch.labels.assign(labels.begin() + step * input_batch_size,
                        labels.begin() + (step + 1) * input_batch_size);
    return batch;
}

}  // namespace

TEST_CASE("ten training steps of a network with two inputs agree with PyTorch") {
    const auto model = two_input_network();
    for (const auto& factory : backend_factories()) {
        for (const bool fusion : {false, true}) {
            INFO(factory.name << (fusion ? ", fused" : ""));
            const auto graph = fused(training_graph(model, Sgd{.learning_rate = 0.05, .momentum = 0.9},
                                                    model.input, input_classes),
                                     fusion);
            const std::vector programs{
                instantiate(graph, ProgramKind::train, {0, 1, input_batch_size, input_batch_size})};
            const auto backend = factory.make();
            const auto bound = backend->bind(programs);
            const auto initial = golden_floats("inputs_initial");
            std::size_t from = 0;
            for (const auto& parameter : programs[0].parameters) {
                const auto& info = programs[0].tensor(parameter.value);
                const auto elements = static_cast<std::size_t>(info.shape.elements());
                backend->write(info.name, std::span(initial).subspan(from, elements));
                from += elements;
            }
            REQUIRE(from == initial.size());
            std::vector<float> losses, weights;
            for (std::int64_t step = 0; step < golden_steps; ++step) {
                run_step(*bound[0], golden_batch(model.input, step), step);
                losses.push_back(static_cast<float>(bound[0]->metrics().loss_sum / input_batch_size));
            }
            for (const auto& parameter : programs[0].parameters) {
                const auto part = backend->read(programs[0].tensor(parameter.value).name);
                weights.insert(weights.end(), part.begin(), part.end());
            }
            CHECK(relative_difference(losses, golden("inputs_losses")) <= 1e-4);
            CHECK(relative_difference(weights, golden("inputs_final")) <= 1e-4);
        }
    }
}
