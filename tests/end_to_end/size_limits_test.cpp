#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

/// A chain of this many dense layers of two units.
json deep_chain(std::size_t layers) {
    auto list = json::array({{{"type", "flatten"}}});
    while (list.size() + 1 < layers) list.push_back({{"type", "dense"}, {"units", 2}});
    list.push_back({{"type", "dense"}, {"units", 10}, {"activation", "softmax"}});
    return {{"input", {1, 28, 28}}, {"layers", std::move(list)}};
}

}  // namespace

TEST_CASE("threads have one bound everywhere") {
    for (const auto& words : {std::vector<std::string>{"evaluate", "run", "--threads", "100000"},
                              {"evaluate", "run", "--threads", "1025"},
                              {"bench", "operators", "spec.json", "--threads", "1025"},
                              {"evaluate", "run", "--threads", "0"}}) {
        const auto outcome = run_convoy(words);
        CHECK(outcome.code == 64);
        CHECK(outcome.err == "convoy: --threads: found " + words.back() + ", expected 1 to 1024\n");
    }
}

TEST_CASE("a plan of many layers and buckets costs as much as it is long") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["model"] = deep_chain(999);
    spec["nodes"] = nodes(32);
    spec["batch_size"] = 32;
    spec["strategy"] = {{"name", "ring_allreduce"}, {"bucketing", "per_tensor"}};
    const auto overlap = GENERATE(false, true);
    spec["strategy"]["overlap_forward"] = overlap;
    // Passes whose time grows with the square of the layers take longer than the test may.
    const auto outcome = run_convoy({"plan", write_spec(folder, spec)});
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.out, Contains("bucket bucket_1995: "));
}
