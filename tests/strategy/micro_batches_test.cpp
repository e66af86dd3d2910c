#include "strategy/micro_batches.hpp"

#include <catch2/catch.hpp>

#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

TEST_CASE("a share is cut into micro-batches, the last may be smaller") {
    using Sizes = std::vector<std::int64_t>;
    CHECK(micro_batches_of(24, 8) == Sizes{8, 8, 8});
    CHECK(micro_batches_of(27, 8) == Sizes{8, 8, 8, 3});
    CHECK(micro_batches_of(3, 8) == Sizes{3});
    CHECK(micro_batches_of(0, 8) == Sizes{0});
}

TEST_CASE("micro-batches: each size has a program that adds its gradients up, and one ends the step") {
    auto spec = spec_for(2, 39);
    spec.micro_batch_size = 8;
    const auto nodes = plans_for(spec, mnist_cnn(), 40);  // in shares of 24 and 15, then 1 and 0
    REQUIRE(nodes.size() == 2);
    const auto check_steps = [&nodes](std::size_t rank, const Sequence& full, const Sequence& last) {
        const auto& steps = nodes[rank].routine.steps;
        REQUIRE(steps.size() == 2);
        for (const auto& [step, expected] : {std::pair(steps[0], full), std::pair(steps[1], last)}) {
            CHECK(step.first == expected);
            CHECK(step.steady == expected);
        }
    };
    check_steps(0, {0, 0, 0, 2}, {1, 2});
    check_steps(1, {0, 1, 3}, {2, 3});
    std::vector<std::int64_t> batches;
    for (const auto& program : nodes[1].programs) {
        batches.push_back(program.batch);
        CHECK(program.layout_batch == 8);
        CHECK(program.buckets == nodes[0].programs[0].buckets);
    }
    CHECK(batches == std::vector<std::int64_t>{8, 7, 0, 0});

    const Lines compute{
        "_FusedMatMulGrad dense_2",      "MatMul dense_2", "ReluGrad dense_1", "_FusedMatMulGrad dense_1",
        "_AccumulateGradients bucket_0", "MatMul dense_1"};
    auto gradients = short_text(nodes[0].programs[0]);
    CHECK(gradients.back() == "_AccumulateGradients bucket_1");
    gradients.resize(compute.size());
    CHECK(gradients == compute);
    CHECK(short_text(nodes[1].programs[2]).empty());
    CHECK(short_text(nodes[0].programs[2]) ==
          Lines{"CollectiveReduceStart bucket_0", "CollectiveReduceStart bucket_1",
                "CollectiveReduce bucket_0", "_TakeGradientSums bucket_0"} +
              updates_of_first + Lines{"CollectiveReduce bucket_1", "_TakeGradientSums bucket_1"} +
              updates_of_second);
    for (const auto& op : nodes[0].programs[2].operators) {
        if (std::holds_alternative<ExchangeAttributes>(op.attributes))
            CHECK(op.as<ExchangeAttributes>().exact);
    }
}

TEST_CASE("a node without a micro-batch keeps parameters as the others do") {
    auto spec = spec_for(2, 8);
    spec.micro_batch_size = 8;
    const auto nodes = plans_for(spec, mnist_cnn(), 8);
    REQUIRE(nodes.at(0).routine.steps.size() == 1);
    for (const auto& node : nodes) {
        REQUIRE_FALSE(node.layouts.empty());
        CHECK(short_text(node.layouts.front()) == short_text(nodes[0].programs.front()));
        CHECK(node.layouts.front().layout_batch == 8);
    }
    CHECK(short_text(nodes[1].programs.front()).empty());
}

TEST_CASE("micro-batches on one rank reduce nothing") {
    auto spec = spec_for(1, 16);
    spec.micro_batch_size = 8;
    const auto nodes = plans_for(spec, mnist_cnn(), 16);
    const auto& update = nodes.at(0).programs.back();
    CHECK(update.kind == ProgramKind::update);
    CHECK(short_text(update) == Lines{"_TakeGradientSums bucket_0"} + updates_of_first +
                                    Lines{"_TakeGradientSums bucket_1"} + updates_of_second);
}
