#include "strategy/layer_memory.hpp"

#include <catch2/catch.hpp>

#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

constexpr std::int64_t in_batch = 8;
constexpr LayerRange first_convolution{.first = 0, .end = 1}, first_dense{.first = 5, .end = 6},
    last_dense{.first = 7, .end = 8};

ExperimentSpec split(PipelineSchedule schedule, std::int64_t micro_batches) {
    ExperimentSpec spec;
    spec.model.name = "mnist_cnn";
    spec.nodes.resize(3);
    spec.batch_size = in_batch;
    spec.strategy = {.name = StrategyName::model_split,
                     .stages = {.layers = {}, .count = 3},
                     .micro_batches = micro_batches,
                     .schedule = schedule};
    return spec;
}

LayerMemory memory_of(const ExperimentSpec& spec, std::int64_t examples = 16) {
    const DataShape digits{.example = Shape{1, 28, 28},
                           .classes = 10,
                           .sizes = {.train = examples, .validation = 0, .test = 0},
                           .example_bytes = 784};
    const auto program =
        instantiate(mnist_cnn(), ProgramKind::train, {.batch = in_batch, .layout_batch = in_batch});
    return LayerMemory(spec, digits, {.of_run = examples, .of_batch = in_batch}, program,
                       LayerOrder(spec.model));
}

}  // namespace

TEST_CASE("a stage keeps the activations of as many micro-batches as its schedule has under way") {
    const auto kept = [](PipelineSchedule schedule, std::size_t stage) {
        const auto all = split(schedule, 4);
        const auto one = split(PipelineSchedule::one_forward_one_backward, 4);
        // The last of three stages keeps one of four micro-batches.
        const double quarter = memory_of(one).bytes(first_convolution, 2);
        const double parameters =
            quarter -
            (memory_of(split(PipelineSchedule::fill_drain, 4)).bytes(first_convolution, 0) - quarter) / 3;
        return (memory_of(all).bytes(first_convolution, stage) - parameters) / (quarter - parameters);
    };
    CHECK(kept(PipelineSchedule::fill_drain, 0) == Approx(4));
    CHECK(kept(PipelineSchedule::fill_drain, 2) == Approx(4));
    CHECK(kept(PipelineSchedule::one_forward_one_backward, 0) == Approx(3));
    CHECK(kept(PipelineSchedule::one_forward_one_backward, 1) == Approx(2));
    CHECK(kept(PipelineSchedule::zero_bubble, 0) == Approx(3));
    CHECK(kept(PipelineSchedule::zero_bubble, 2) == Approx(3));
}

TEST_CASE("a layer needs its parameters, a copy, gradients, and what the backward pass reads") {
    constexpr double parameters = 32.0 * 3 * 3 + 32, activations = 8.0 * 32 * 26 * 26;
    CHECK(memory_of(split(PipelineSchedule::fill_drain, 1)).bytes(first_convolution, 0) ==
          4 * (3 * parameters + activations));
}

TEST_CASE("parameters have a copy and a gradient, and with micro-batches a sum of gradients") {
    const auto of_dense = [](std::int64_t micro_batches) {
        return memory_of(split(PipelineSchedule::fill_drain, micro_batches)).bytes(first_dense, 0);
    };
    constexpr double weights = 9216.0 * 128 + 128;
    CHECK(of_dense(2) - of_dense(1) == Approx(4 * weights));
    CHECK(of_dense(1) > 3 * 4 * weights);
    CHECK(of_dense(1) < 3 * 4 * weights * 1.05);
}

TEST_CASE("the stage that reads the values keeps them, and the last one the labels") {
    const auto spec = split(PipelineSchedule::fill_drain, 1);
    const auto memory = memory_of(spec);
    const auto with_more = memory_of(spec, 16 + 100);
    const auto of_more = [&](LayerRange layers) {
        return with_more.data_bytes(layers) - memory.data_bytes(layers);
    };
    CHECK(of_more(first_convolution) == 100 * 784);
    CHECK(memory.data_bytes(first_dense) == 0.0);
    CHECK(of_more(last_dense) == 100 * 4);
    CHECK(memory.data_bytes({.first = 0, .end = 8}) ==
          memory.data_bytes(first_convolution) + memory.data_bytes(last_dense));
}
