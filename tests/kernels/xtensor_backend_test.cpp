#include "kernels/xtensor/xtensor_backend.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "kernels/small_programs.hpp"
#include "kernels/steps.hpp"
#include "nn/network.hpp"
#include "strategy/programs.hpp"
#include "support/fused.hpp"

/// What only the reference back-end does: plain layout, slots that start by themselves, checks of its own.
using namespace convoy;
using namespace convoy::test;

TEST_CASE("slots begin at their start, all else at zero") {
    const auto programs = two_rank_programs({4, 4});
    XtensorBackend<double> backend;
    const auto bound = backend.bind(std::span(programs).first(1));
    CHECK(backend.read("dense.bias/accumulator") == std::vector<float>(3, 0.25F));
    CHECK(backend.read("dense.weight") == std::vector<float>(48, 0.0F));
    backend.values("dense.weight")[7] = 1e-40;
    CHECK(backend.values("dense.weight")[7] == 1e-40);
}

TEST_CASE("gradients lie in their bucket at their offsets") {
    const auto programs = two_rank_programs({4, 4});
    XtensorBackend<float> backend;
    const auto bound = backend.bind(std::span(programs).first(1));
    run_step(*bound[0], random_batch(4, small_image, 3, 1));
    const auto& bucket = programs[0].buckets.at(0);
    const auto values = bound[0]->bucket(0);
    REQUIRE(values.size() == static_cast<std::size_t>(bucket.elements));
    for (std::size_t i = 0; i < bucket.tensors.size(); ++i) {
        const auto gradient = bound[0]->read(bucket.tensors[i]);
        const auto place = values.subspan(static_cast<std::size_t>(bucket.offsets[i]), gradient.size());
        CHECK(std::vector<float>(place.begin(), place.end()) == gradient);
        CHECK(std::ranges::any_of(gradient, [](float v) { return v != 0.0F; }));
    }
}

TEST_CASE("whole programs of the reference run on no examples") {
    const ModelSpec model{"small",
                          small_image,
                          {{"conv", Conv2dLayer{.filters = 2, .kernel = 3, .activation = Activation::relu}},
                           {"pool", PoolLayer{}},
                           {"dropout", DropoutLayer{0.5}},
                           {"flatten", FlattenLayer{}},
                           {"dense", DenseLayer{3}}}};
    const auto graph = fused(training_graph(model, Sgd{}, small_image, 3), GENERATE(false, true));
    const std::vector programs{instantiate(graph, ProgramKind::train, {})};
    XtensorBackend<float> backend;
    const auto bound = backend.bind(programs);
    write_random_parameters(backend, programs[0]);
    const auto weights = backend.read("conv.weight");
    run_step(*bound[0], {});
    CHECK(bound[0]->metrics().loss_sum == 0.0);
    CHECK(backend.read("conv.weight") == weights);
}

TEST_CASE("programs that disagree, labels out of range and buckets of doubles are bugs") {
    const auto programs = two_rank_programs({4, 4});
    XtensorBackend<float> backend;
    const auto bound = backend.bind(std::span(programs).first(1));
    auto batch = random_batch(4, small_image, 3, 1);
    batch.labels[2] = 3;
    CHECK_THROWS_AS(run_step(*bound[0], batch), InternalError);

    XtensorBackend<double> wide;
    const auto bound_wide = wide.bind(std::span(programs).first(1));
    CHECK_THROWS_AS(bound_wide[0]->bucket(0), InternalError);

    auto disagreeing = two_rank_programs({4, 4});
    for (auto& tensor : disagreeing[1].tensors) {
        if (tensor.name == "dense.bias") tensor.shape = {4};
    }
    XtensorBackend<float> confused;
    CHECK_THROWS_AS(confused.bind(disagreeing), InternalError);
}
