#include "graph/recompute.hpp"

#include <catch2/catch.hpp>

#include "backends.hpp"
#include "kernels/onednn/onednn_backend.hpp"
#include "nn/network.hpp"
#include "nn/zoo.hpp"
#include "program/program.hpp"
#include "steps.hpp"
#include "support/fused.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

constexpr std::int64_t recompute_examples = 4;

/// Every trained parameter behind three steps of a residual network.
std::vector<std::vector<float>> trained(Backend& backend, bool recompute) {
    const auto model = resolve_model({.name = "resnet_v2", .input = {}, .layers = {}, .depth = 11});
    auto graph = fused(training_graph(model, Sgd{.learning_rate = 0.05, .momentum = 0.9}, model.input, 10));
    if (recompute) recompute_batch_norms(graph.operators, graph.tensors);
    const std::vector programs{
        instantiate(graph, ProgramKind::train, {0, 1, recompute_examples, recompute_examples})};
    const auto bound = backend.bind(programs);
    write_random_parameters(backend, programs[0]);
    for (std::uint32_t step = 0; step < 3; ++step)
        run_step(*bound[0], random_batch(recompute_examples, model.input, 10, step), step);
    std::vector<std::vector<float>> values;
    for (const auto& parameter : programs[0].parameters)
        values.push_back(backend.read(programs[0].tensor(parameter.value).name));
    return values;
}

}  // namespace

TEST_CASE("what is computed again has the same bits as what would have been kept") {
    for (const auto& factory : backend_factories()) {
        INFO(factory.name);
        CHECK(trained(*factory.make(), true) == trained(*factory.make(), false));
    }
}
