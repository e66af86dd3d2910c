// Every scheme of sharding trains a cluster, and each node tells the labels of its examples.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "spec/parse.hpp"
#include "train/memory_cluster.hpp"

using namespace convoy;
using namespace convoy::test;
using nlohmann::json;

namespace {

using Counts = std::vector<std::int64_t>;

json digits_spec(const json& sharding, std::int64_t nodes) {
    auto spec = json::parse(R"({
        "dataset": {"name": "synthetic_digits", "train_examples": 200, "test_examples": 10},
        "model": {"input": [1, 28, 28], "layers": [
            {"type": "flatten"}, {"type": "dense", "units": 10, "activation": "softmax"}]},
        "batch_size": 40, "epochs": 2, "measure": {"trace_steps": 0}})");
    spec["nodes"] = nodes;
    spec["sharding"] = sharding;
    return spec;
}

/// The counts of each node.
std::vector<Counts> counts_of(const json& spec) {
    std::vector<Counts> counts;
    for (const auto& node : run_memory_cluster(parse_spec(spec), spec.at("nodes"))) {
        REQUIRE(node.end.message == "");
        REQUIRE(node.records.summaries.size() == 1);
        counts.push_back(node.records.summaries.front().label_counts);
    }
    return counts;
}

std::int64_t sum_of(const Counts& counts) {
    std::int64_t sum = 0;
    for (const auto count : counts) sum += count;
    return sum;
}

Counts sum_of(const std::vector<Counts>& nodes) {
    Counts sum(10, 0);
    for (const auto& counts : nodes)
        for (std::size_t label = 0; label < counts.size(); ++label) sum[label] += counts[label];
    return sum;
}

}  // namespace

TEST_CASE("with every scheme nodes train on all examples, each once, and count their labels") {
    const auto alone = counts_of(digits_spec({{"scheme", "global_batch"}}, 1)).at(0);
    CHECK(sum_of(alone) == 200);
    for (const auto* scheme :
         {"global_batch", "contiguous", "strided", "shuffled", "proportional", "by_label", "dirichlet"}) {
        CAPTURE(scheme);
        auto spec = digits_spec({{"scheme", scheme}}, 4);
        spec["strategy"]["balance"] = {1, 1, 1, 2};
        const auto nodes = counts_of(spec);
        CHECK(sum_of(nodes) == alone);
        CHECK(sum_of(nodes.at(0)) == 40);
        CHECK(sum_of(nodes.at(3)) == 80);
    }
    const auto replicated = counts_of(digits_spec({{"scheme", "replicated"}}, 4));
    for (const auto& counts : replicated) CHECK(sum_of(counts) == 50);
    CHECK(sum_of(replicated) != alone);
}

TEST_CASE("by label, nodes see few classes") {
    const auto missing = [](const json& sharding) {
        std::int64_t none = 0;
        for (const auto& counts : counts_of(digits_spec(sharding, 4))) none += std::ranges::count(counts, 0);
        return none;
    };
    // Of 4 times 10 counts. Four stretches of the sorted examples have 10 classes, and some at both ends.
    CHECK(missing({{"scheme", "by_label"}, {"shards_per_node", 1}}) >= 40 - 10 - 3);
    CHECK(missing({{"scheme", "dirichlet"}, {"alpha", 0.1}}) > 15);
    CHECK(missing({{"scheme", "shuffled"}}) < 5);
}

TEST_CASE("a server takes no examples, and counts no labels") {
    auto spec = digits_spec({{"scheme", "by_label"}}, 2);
    spec["strategy"] = "parameter_server";
    const auto nodes = counts_of(spec);
    REQUIRE(nodes.size() == 3);
    CHECK(sum_of(nodes[0]) == 100);
    CHECK(nodes[2].empty());
}
