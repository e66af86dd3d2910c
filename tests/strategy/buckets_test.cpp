#include "strategy/buckets.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "graph/residuals.hpp"
#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

TEST_CASE("buckets hold every gradient once, aligned, in the order of the backward pass") {
    const auto programs = compile_for({16, 16});
    const auto& program = programs[1];
    REQUIRE(program.buckets.size() == 2);
    CHECK(names(program, program.buckets[0]) ==
          Lines{"dense_2.weight/gradient", "dense_2.bias/gradient", "dense_1.weight/gradient"});
    CHECK(program.buckets[0].offsets == std::vector<std::int64_t>{0, 1280, 1296});
    CHECK(program.buckets[0].elements == 1296 + 128 * 9216);
    CHECK(names(program, program.buckets[1]) == Lines{"dense_1.bias/gradient", "conv2d_2.weight/gradient",
                                                      "conv2d_2.bias/gradient", "conv2d_1.weight/gradient",
                                                      "conv2d_1.bias/gradient"});
    for (const auto& bucket : program.buckets) {
        for (const auto offset : bucket.offsets) CHECK(offset % 16 == 0);
        CHECK(program.tensor(bucket.storage).shape == Shape{bucket.elements});
        CHECK(program.tensor(bucket.storage).role == TensorRole::bucket);
    }
}

TEST_CASE("bucket_bytes decides where a bucket closes") {
    const auto tiny = compile_for({8, 8}, {.bucket_bytes = 1, .segment_bytes = 4096});
    CHECK(tiny[0].buckets.size() == 8);
    const auto huge = compile_for({8, 8}, {.bucket_bytes = 1 << 30, .segment_bytes = 4096});
    CHECK(huge[0].buckets.size() == 1);
    for (const auto& op : huge[0].operators) {
        if (op.pass == Pass::communication)
            CHECK(op.as<ExchangeAttributes>().exchange.options.segment_bytes == 4096);
    }
}

TEST_CASE("every gradient may have a bucket, or all have one that is summed behind the backward pass") {
    const auto each = compile_for({8, 8}, {.bucketing = Bucketing::per_tensor, .bucket_bytes = 1 << 30})[0];
    CHECK(each.buckets.size() == 8);
    const auto text =
        short_text(compile_for({8, 8}, {.bucketing = Bucketing::end_of_step, .bucket_bytes = 1})[0]);
    const auto start = std::ranges::find(text, "CollectiveReduceStart bucket_0");
    CHECK(Lines(start - 1, text.end()) == Lines{"_FusedConv2DBackpropFilter conv2d_1",
                                                "CollectiveReduceStart bucket_0",
                                                "CollectiveReduce bucket_0"} +
                                              updates_of_first + updates_of_second);
}

TEST_CASE("with top_k each bucket of gradients has one of residuals, at the same offsets") {
    auto graph = mnist_cnn();
    add_residuals(graph);
    const StrategySpec strategy{.wire_type = WireType::top_k, .top_k = {0.25}, .connections = 2};
    for (const auto& program : compile_for({24, 0}, strategy, graph)) {
        REQUIRE(program.buckets.size() == 4);
        for (std::size_t i = 0; i < 2; ++i) {
            const auto& gradients = program.buckets[i];
            const auto& residuals = program.buckets[i + 2];
            CHECK(residuals.residuals);
            CHECK(holds_gradients(gradients));
            CHECK_FALSE(holds_gradients(residuals));
            CHECK(residuals.offsets == gradients.offsets);
            CHECK(residuals.elements == gradients.elements);
        }
        CHECK(names(program, program.buckets[2]) ==
              Lines{"dense_2.weight/residual", "dense_2.bias/residual", "dense_1.weight/residual"});
        std::size_t sums = 0;
        for (const auto& op : program.operators) {
            if (op.pass != Pass::communication) continue;
            const std::size_t bucket = op.name == "bucket_0" ? 0 : 1;
            CHECK(op.inputs ==
                  std::vector{program.buckets[bucket].storage, program.buckets[bucket + 2].storage});
            const auto& options = op.as<ExchangeAttributes>().exchange.options;
            CHECK(options.top_k.fraction == 0.25);
            CHECK(options.connection == static_cast<std::int64_t>(bucket));
            ++sums;
        }
        CHECK(sums == 4);
    }
    // Without residuals there is nowhere to keep what is not sent.
    CHECK_THROWS_AS(compile_for({24, 24}, strategy), InternalError);
}

TEST_CASE("unfused programs reduce the same gradients") {
    const auto programs = compile_for({8, 8}, {}, mnist_cnn(), false);
    std::int64_t elements = 0;
    for (const auto& bucket : programs[0].buckets) {
        for (const auto id : bucket.tensors) elements += programs[0].tensor(id).shape.elements();
    }
    CHECK(elements == 1'199'882);
    CHECK(programs[0].buckets.size() == 2);
}
