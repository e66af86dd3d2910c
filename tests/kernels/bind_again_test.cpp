#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "kernels/backends.hpp"
#include "kernels/steps.hpp"
#include "nn/network.hpp"
#include "nn/zoo.hpp"
#include "support/fused.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

const Shape pixels{1, 28, 28};

/// A step of mnist_cnn with momentum on so many of a batch's examples.
Program step_on(std::int64_t examples, std::int64_t layout_batch) {
    const auto model = resolve_model({.name = "mnist_cnn", .input = {}, .layers = {}});
    const auto graph = training_graph(model, Sgd{.learning_rate = 0.05, .momentum = 0.9}, model.input, 10);
    return instantiate(fused(graph), ProgramKind::train, {0, 1, examples, layout_batch});
}

}  // namespace

TEST_CASE("programs that are bound again find parameters and slots as they were") {
    const std::vector first{step_on(4, 4)};
    const std::vector again{step_on(4, 4), step_on(7, 7)};
    for (const auto& factory : backend_factories()) {
        INFO(factory.name);
        const auto train = [&](bool binds_again) {
            const auto backend = factory.make();
            auto bound = backend->bind(first);
            write_random_parameters(*backend, first[0]);
            run_step(*bound[0], random_batch(4, pixels, 10, 1));
            if (binds_again) {
                const auto weights = backend->read("dense_1.weight");
                const auto velocity = backend->read("dense_1.weight/velocity");
                bound.clear();
                bound = backend->bind(again);
                CHECK(backend->read("dense_1.weight") == weights);
                CHECK(backend->read("dense_1.weight/velocity") == velocity);
            }
            run_step(*bound[0], random_batch(4, pixels, 10, 2));
            return backend->read("conv2d_1.weight");
        };
        CHECK(train(true) == train(false));
    }
}

TEST_CASE("what the new programs do not know is gone") {
    const auto model = resolve_model({.name = "mnist_cnn", .input = {}, .layers = {}});
    const std::vector first{step_on(2, 2)};
    const std::vector scores{
        instantiate(evaluation_graph(model, model.input, 10), ProgramKind::evaluate, {0, 1, 2, 2})};
    for (const auto& factory : backend_factories()) {
        INFO(factory.name);
        const auto backend = factory.make();
        auto bound = backend->bind(first);
        write_random_parameters(*backend, first[0]);
        const auto bias = backend->read("dense_1.bias");
        bound.clear();
        bound = backend->bind(scores);
        CHECK(backend->read("dense_1.bias") == bias);
        CHECK_THROWS_AS(backend->read("dense_1.bias/velocity"), InternalError);
    }
}

TEST_CASE("a parameter of another size cannot take the old values, and they are not lost") {
    const std::vector first{step_on(2, 2)};
    auto other = first;
    const auto bias = find_tensor(first[0], "dense_1.bias");
    for (auto& tensor : other[0].tensors) {
        if (tensor.name.starts_with("dense_1.bias")) tensor.shape = Shape{64};
    }
    for (const auto& factory : backend_factories()) {
        INFO(factory.name);
        const auto backend = factory.make();
        auto bound = backend->bind(first);
        write_random_parameters(*backend, first[0]);
        const auto before = bound[0]->read(bias);
        bound.clear();
        CHECK_THROWS(backend->bind(other));
        CHECK(backend->read("dense_1.bias") == before);
    }
}
