#include "graph/clipping.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

Graph clipped_mnist_cnn(ClipBy by) {
    auto graph = mnist_cnn();
    clip_gradients(graph, {by, 1.0});
    return graph;
}

/// Each update with its clipping before it.
Lines with_clipping(const Lines& updates, const std::string& clip) {
    Lines lines;
    for (const auto& update : updates) {
        lines.push_back(clip + update.substr(update.find(' ')));
        lines.push_back(update);
    }
    return lines;
}

}  // namespace

TEST_CASE("the norm of all gradients waits for every bucket, and all updates for the norm") {
    const auto graph = clipped_mnist_cnn(ClipBy::global_norm);
    const auto tail = Lines{"_GlobalNorm gradients"} +
                      with_clipping(updates_of_first + updates_of_second, "_ClipByGlobalNorm");
    for (const bool overlap : {false, true}) {
        const auto programs = compile_for({4, 3}, {.overlap = overlap}, graph);
        const auto unclipped = compile_for({4, 3});
        for (std::size_t i = 0; i < unclipped[0].buckets.size(); ++i) {
            CHECK(names(programs[0], programs[0].buckets.at(i)) ==
                  names(unclipped[0], unclipped[0].buckets[i]));
        }
        for (const auto& program : programs) {
            const auto text = short_text(program);
            const auto wait = std::ranges::find(text, "CollectiveReduce bucket_0");
            CHECK(Lines(wait, text.end()) ==
                  Lines{"CollectiveReduce bucket_0", "CollectiveReduce bucket_1"} + tail);
        }
    }
    ExperimentSpec spec;
    spec.nodes.resize(2);
    spec.batch_size = 32;
    spec.micro_batch_size = 8;
    CHECK(short_text(plans_for(spec, graph, 32).at(0).programs.back()) ==
          Lines{"CollectiveReduceStart bucket_0", "CollectiveReduceStart bucket_1",
                "CollectiveReduce bucket_0", "_TakeGradientSums bucket_0", "CollectiveReduce bucket_1",
                "_TakeGradientSums bucket_1"} +
              tail);
    const auto alone = short_text(compile_for({4, 3}, {.name = StrategyName::local_sgd}, graph)[0]);
    CHECK(Lines(std::ranges::find(alone, "_GlobalNorm gradients"), alone.end()) == tail);
}

TEST_CASE("what is clipped by itself is clipped behind its own bucket") {
    const auto text = short_text(compile_for({4, 4}, {}, clipped_mnist_cnn(ClipBy::value))[0]);
    CHECK(Lines(std::ranges::find(text, "CollectiveReduce bucket_0"), text.end()) ==
          Lines{"CollectiveReduce bucket_0"} + with_clipping(updates_of_first, "ClipByValue") +
              Lines{"CollectiveReduce bucket_1"} + with_clipping(updates_of_second, "ClipByValue"));
}
