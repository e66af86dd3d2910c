#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "base/error.hpp"
#include "base/random.hpp"
#include "kernels/backends.hpp"
#include "kernels/small_programs.hpp"
#include "kernels/steps.hpp"
#include "nn/network.hpp"
#include "strategy/averaging.hpp"
#include "strategy/programs.hpp"
#include "support/fused.hpp"

/// What every back-end owes the executor beside numbers: shared memory, buckets, checks.
using namespace convoy;
using namespace convoy::test;

TEST_CASE("programs of one back-end share parameters, slots and buckets") {
    const std::vector programs{two_rank_programs({4, 4})[0], two_rank_programs({2, 2})[0]};
    for (const auto& factory : backend_factories()) {
        INFO(factory.name);
        const auto backend = factory.make();
        const auto bound = backend->bind(programs);
        CHECK(bound[0]->bucket(0).data() == bound[1]->bucket(0).data());
        write_slot_starts(*backend, programs[0]);
        CHECK(backend->read("dense.bias/accumulator") == std::vector<float>(3, 0.25F));

        const auto weights = random_values(48, 1);
        backend->write("dense.weight", weights);
        CHECK(backend->read("dense.weight") == weights);
        run_step(*bound[0], random_batch(4, small_image, 3, 1));
        const auto trained = backend->read("dense.weight");
        CHECK(trained != weights);
        CHECK(bound[1]->read(find_tensor(programs[1], "dense.weight")) == trained);
    }
}

TEST_CASE("gradients lie in their bucket") {
    const auto programs = two_rank_programs({4, 4});
    const auto& bucket = programs[0].buckets.at(0);
    for (const auto& factory : backend_factories()) {
        INFO(factory.name);
        const auto backend = factory.make();
        const auto bound = backend->bind(std::span(programs).first(1));
        run_step(*bound[0], random_batch(4, small_image, 3, 1));
        const auto values = bound[0]->bucket(0);
        REQUIRE(values.size() >= static_cast<std::size_t>(bucket.elements));
        for (const auto id : bucket.tensors) {
            const auto gradient = bound[0]->read(id);
            CHECK(std::ranges::any_of(gradient, [](float v) { return v != 0.0F; }));
        }
        std::ranges::fill(values, 0.0F);
        for (const auto id : bucket.tensors) {
            const auto gradient = bound[0]->read(id);
            CHECK(std::ranges::all_of(gradient, [](float v) { return v == 0.0F; }));
        }
    }
}

TEST_CASE("a share without examples computes zeros and no metrics") {
    const auto programs = two_rank_programs({1, 0});
    for (const auto& factory : backend_factories()) {
        INFO(factory.name);
        const auto backend = factory.make();
        const auto bound = backend->bind(std::span(programs).last(1));
        std::ranges::fill(bound[0]->bucket(0), 1.0F);
        run_step(*bound[0], {});
        for (const auto id : programs[1].buckets.at(0).tensors) {
            for (const auto value : bound[0]->read(id)) CHECK(value == 0.0F);
        }
        CHECK(bound[0]->metrics().loss_sum == 0.0);
        CHECK(bound[0]->metrics().correct == 0);
    }
}

TEST_CASE("ranks with different shares agree on how parameters lie") {
    const auto programs = two_rank_programs({4, 1});
    for (const auto& factory : backend_factories()) {
        const auto first = factory.make();
        const auto second = factory.make();
        const auto bound_first = first->bind(std::span(programs).first(1));
        const auto bound_second = second->bind(std::span(programs).last(1));
        const std::vector<std::string> names{"dense.weight", "dense.bias"};
        CHECK(first->layout_fingerprint(names) == second->layout_fingerprint(names));
        CHECK_FALSE(first->layout_fingerprint(names).empty());
        CHECK(bound_first[0]->bucket(0).size() == bound_second[0]->bucket(0).size());
    }
}

TEST_CASE("dropout keeps what its random numbers say, whatever the batch") {
    const ModelSpec model{"dropout", {12}, {{"first", DropoutLayer{0.0}}, {"drop", DropoutLayer{0.25}}}};
    const auto graph = fused(training_graph(model, Sgd{}, {12}, 12));
    const std::vector programs{instantiate(graph, ProgramKind::train, {0, 1, 3, 3})};
    auto batch = random_batch(3, {12}, 12, 1);
    batch.values.assign(36, 3.0F);
    batch.examples = {70, 5, 70};
    // run_step's seed is 5 and its epoch 2; the layer is the second of the network.
    const RandomStream stream(5, RandomPurpose::dropout, 1, 2);
    for (const auto& factory : backend_factories()) {
        INFO(factory.name);
        const auto backend = factory.make();
        const auto bound = backend->bind(programs);
        run_step(*bound[0], batch);
        const auto result = bound[0]->read(find_tensor(programs[0], "drop/result"));
        for (std::uint32_t n = 0; n < 3; ++n) {
            for (std::uint32_t i = 0; i < 12; ++i) {
                CHECK(result[n * 12 + i] == (stream.uniform(batch.examples[n], i) >= 0.25 ? 4.0F : 0.0F));
            }
        }
        CHECK(std::ranges::count(result, 0.0F) > 0);
    }
}

TEST_CASE("evaluation gives metrics and probabilities") {
    const ModelSpec model{
        "small", {2}, {{"dense", DenseLayer{.units = 2, .activation = Activation::softmax}}}};
    const auto graph = fused(evaluation_graph(model, {2}, 2));
    const std::vector programs{instantiate(graph, ProgramKind::evaluate, {0, 1, 2, 2})};
    OwnedBatch batch{.values = {0.0F, 0.0F, 0.0F, std::log(3.0F)},
                     .labels = {0, 0},
                     .examples = {0, 1},
                     .global_examples = 2};
    for (const auto& factory : backend_factories()) {
        INFO(factory.name);
        const auto backend = factory.make();
        const auto bound = backend->bind(programs);
        backend->write("dense.weight", std::vector<float>{1.0F, 0.0F, 0.0F, 1.0F});
        backend->write("dense.bias", std::vector<float>{0.0F, 0.0F});
        run_step(*bound[0], batch);
        // Equal logits count as the first class; the second example has probabilities 1/4 and 3/4.
        CHECK(bound[0]->metrics().correct == 1);
        CHECK(bound[0]->metrics().loss_sum == Approx(std::log(2.0) + std::log(4.0)));
        const auto probabilities = bound[0]->read(static_cast<TensorId>(programs[0].tensors.size() - 1));
        REQUIRE(probabilities.size() == 4);
        CHECK(probabilities[2] == Approx(0.25));
        CHECK(probabilities[3] == Approx(0.75));
    }
}

TEST_CASE("what does not fit is refused") {
    const auto programs = two_rank_programs({4, 4});
    for (const auto& factory : backend_factories()) {
        INFO(factory.name);
        const auto backend = factory.make();
        const auto bound = backend->bind(std::span(programs).first(1));
        CHECK_THROWS_AS(feed_all(*bound[0], random_batch(3, small_image, 3, 1)), InternalError);
        CHECK_THROWS_AS(feed_all(*bound[0], random_batch(4, {1, 4, 5}, 3, 1)), InternalError);
        auto batch = random_batch(4, small_image, 3, 1);
        feed_all(*bound[0], batch);
        batch.labels.clear();
        CHECK_THROWS_AS(feed_all(*bound[0], batch), InternalError);
        batch = random_batch(4, small_image, 3, 1);
        batch.values.clear();
        CHECK_THROWS_AS(feed_all(*bound[0], batch), InternalError);
        CHECK_THROWS_AS(backend->write("dense.bias", std::vector<float>(4)), InternalError);
        CHECK_THROWS_AS(backend->write("dense.bos", std::vector<float>(3)), InternalError);
        CHECK_THROWS_AS(backend->read("dense.bos"), InternalError);
    }
}

TEST_CASE("moving statistics lie in the bucket that averages them, and training reads them there") {
    const Shape plane{2, 4, 4};
    const ModelSpec model{"small",
                          plane,
                          {{"norm", BatchNormLayer{.activation = Activation::relu}},
                           {"flatten", FlattenLayer{}},
                           {"dense", DenseLayer{3}}}};
    const auto graph = training_graph(model, Sgd{}, plane, 3);
    const std::vector programs{averaging_program(graph, {}, {}, {.rank = 0, .world_size = 2}),
                               compile_for({4, 4}, {}, graph)[0]};
    for (const auto& factory : backend_factories()) {
        INFO(factory.name);
        const auto backend = factory.make();
        const auto bound = backend->bind(programs);
        write_random_parameters(*backend, programs[1]);
        backend->write("norm.moving_mean", std::vector{0.0F, 0.0F});
        const auto batch = random_batch(4, plane, 3, 1);
        run_step(*bound[1], batch);
        const auto moved = backend->read("norm.moving_mean");
        CHECK(moved[0] != 0.0F);
        // As after a sum with a node that has the same statistics.
        for (auto& value : bound[0]->bucket(0)) value *= 2.0F;
        CHECK(backend->read("norm.moving_mean") == std::vector{2.0F * moved[0], 2.0F * moved[1]});
        for (auto& kernel : bound[0]->kernels(2)) kernel.kernel->run({.examples = {}});
        CHECK(backend->read("norm.moving_mean") == moved);
    }
}
