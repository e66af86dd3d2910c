#include "train/memory_cluster.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "spec/parse.hpp"

using namespace convoy;
using namespace convoy::test;
using nlohmann::json;

namespace {

/// Six steps in two epochs, with a checkpoint behind each second one.
ExperimentSpec spec_with(const char* changes = "{}") {
    auto spec = json::parse(R"({
        "dataset": {"name": "synthetic_digits", "train_examples": 30, "test_examples": 8},
        "model": {"input": [1, 28, 28], "layers": [
            {"type": "conv2d", "filters": 16, "kernel": 5, "stride": 3}, {"type": "dropout", "rate": 0.25},
            {"type": "flatten"}, {"type": "dense", "units": 10, "activation": "softmax"}]},
        "batch_size": 10, "epochs": 2, "deadline_s": 20, "checkpoints": {"every_steps": 2}})");
    spec.merge_patch(json::parse(changes));
    return parse_spec(spec);
}

/// What each node has in hand after the same checkpoint.
std::vector<NodeCheckpoint> checkpoints(const std::vector<NodeOutcome>& cluster, std::size_t which) {
    std::vector<NodeCheckpoint> all;
    for (const auto& node : cluster) all.push_back(node.checkpoints.at(which));
    return all;
}

}  // namespace

TEST_CASE("a cluster in one process runs to its end, and rank 0 tells the weights") {
    const auto cluster = run_memory_cluster(spec_with(), 3);
    REQUIRE(cluster.size() == 3);
    for (const auto& node : cluster) {
        CHECK(node.end.code == ExitCode::done);
        CHECK(node.end.message == "");
        CHECK(node.records.steps.size() == 6);
        CHECK(node.records.epochs.size() == 2);
        CHECK(node.checkpoints.size() == 2);
        CHECK(node.sent_frames > 0);
    }
    CHECK_FALSE(cluster[0].weights.empty());
    CHECK(cluster[1].weights.empty());
    CHECK(cluster[0].records.steps[0].examples == 4);
    CHECK(cluster[2].records.steps[0].examples == 3);
    CHECK(step_losses(cluster).size() == 6);
}

TEST_CASE("two runs of a cluster have the same bits, and send as many frames") {
    const auto spec =
        spec_with(R"({"strategy": {"bucket_bytes": 64, "connections": 2, "overlap_forward": true}})");
    const auto first = run_memory_cluster(spec, 4);
    const auto second = run_memory_cluster(spec, 4);
    CHECK(first[0].weights == second[0].weights);
    CHECK(step_losses(first) == step_losses(second));
    for (std::size_t rank = 0; rank < 4; ++rank) CHECK(first[rank].sent_frames == second[rank].sent_frames);
}

TEST_CASE("a cluster goes on from its checkpoints to the same bits") {
    const auto* changes = GENERATE("{}", R"({"strategy": {"wire_type": "top_k"}})",
                                   R"({"strategy": {"name": "local_sgd", "average_every": 3}})",
                                   R"({"strategy": {"name": "parameter_server", "servers": 2,
                                                    "slice_bytes": 4000}})",
                                   R"({"strategy": {"name": "hybrid", "cut_layers": ["dense_1"]}})");
    CAPTURE(changes);
    const auto spec = spec_with(changes);
    const auto whole = run_memory_cluster(spec, 3);
    for (std::size_t which = 0; which < 2; ++which) {
        const auto rest = run_memory_cluster(spec, 3, {.resume = checkpoints(whole, which)});
        REQUIRE(rest.size() == whole.size());
        for (std::size_t rank = 0; rank < rest.size(); ++rank) {
            CHECK(rest[rank].end.message == "");
            CHECK(rest[rank].weights == whole[rank].weights);
        }
    }
}

TEST_CASE("nodes that are not at the same step disagree") {
    const auto spec = spec_with();
    auto resume = checkpoints(run_memory_cluster(spec, 3), 1);
    resume[1] = checkpoints(run_memory_cluster(spec, 3), 0)[1];
    for (const auto& node : run_memory_cluster(spec, 3, {.resume = resume}))
        CHECK(node.end.code == ExitCode::disagreement);
}

TEST_CASE("a node that fails before the others have agreed releases them") {
    const auto spec = spec_with();
    auto resume = checkpoints(run_memory_cluster(spec, 3), 1);
    resume[1].step = 1000;
    const auto cluster = run_memory_cluster(spec, 3, {.resume = resume});
    CHECK(cluster[1].end.code == ExitCode::data);
    for (const auto rank : {0, 2}) {
        CHECK(cluster.at(rank).end.code == ExitCode::node_lost);
        CHECK_THAT(cluster.at(rank).end.message, Catch::StartsWith("node 1: "));
    }
}
