// A node that dies in the middle of a run is named by all others, and nobody hangs.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "spec/parse.hpp"
#include "train/memory_cluster.hpp"

using namespace convoy;
using namespace convoy::test;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

/// Six steps in two epochs, with checkpoints between them.
ExperimentSpec spec_of_death(const char* changes) {
    auto spec = json::parse(R"({
        "dataset": {"name": "synthetic_digits", "train_examples": 30, "test_examples": 8},
        "model": {"input": [1, 28, 28], "layers": [
            {"type": "conv2d", "filters": 16, "kernel": 5, "stride": 3}, {"type": "batch_norm"},
            {"type": "dropout", "rate": 0.25}, {"type": "flatten"},
            {"type": "dense", "units": 10, "activation": "softmax"}]},
        "batch_size": 10, "epochs": 2, "deadline_s": 20, "strategy": {"bucket_bytes": 1024},
        "checkpoints": {"every_steps": 2}})");
    spec.merge_patch(json::parse(changes));
    return parse_spec(spec);
}

/// What all nodes end with where the last of them is killed: in place of its first frame, of its second, of
/// one after a third of its run, and of one after two thirds.
std::vector<std::vector<NodeOutcome>> runs_with_a_death(const ExperimentSpec& spec, std::int64_t nodes,
                                                        std::optional<Clock::duration> grace = {}) {
    const auto whole = run_memory_cluster(spec, nodes);
    const auto frames = whole.back().sent_frames;
    REQUIRE(frames >= 4);
    std::vector<std::vector<NodeOutcome>> runs;
    for (const auto frame : {std::int64_t{0}, std::int64_t{1}, frames / 3, 2 * frames / 3}) {
        const auto& run = runs.emplace_back(
            run_memory_cluster(spec, nodes, {.death = Death{nodes - 1, frame}, .grace = grace}));
        CAPTURE(nodes, frame, frames);
        for (const auto& node : run) CHECK(node.end.code == ExitCode::node_lost);
        CHECK(run.back().sent_frames == frame);
        CHECK(run.front().weights.empty());
    }
    return runs;
}

bool names(const NodeOutcome& node, std::int64_t lost) {
    return node.end.message.starts_with(fmt::format("node {}: ", lost));
}

}  // namespace

// Round a ring each node is told by the one before it, which may still compute. The grace is as long as the
// deadline, so that a slow machine changes no name.
TEST_CASE("a node killed at any frame is named by all others round a ring") {
    const auto* changes =
        GENERATE(R"({"strategy": {"algorithm": "ring"}})",
                 R"({"strategy": {"algorithm": "ring", "overlap_forward": true}})",
                 R"({"strategy": {"algorithm": "ring", "wire_type": "top_k"}})",
                 R"({"strategy": {"algorithm": "ring", "name": "local_sgd", "average_every": 2}})");
    const std::int64_t nodes = GENERATE(2, 3, 4);
    CAPTURE(changes, nodes);
    for (const auto& run : runs_with_a_death(spec_of_death(changes), nodes, 20s)) {
        for (std::size_t rank = 0; rank + 1 < run.size(); ++rank) {
            CAPTURE(rank, run[rank].end.message);
            CHECK(names(run[rank], nodes - 1));
        }
    }
}

// Elsewhere than round a ring, and on several connections, a node may only see that a peer has ended on its
// turn.
TEST_CASE("a node killed at any frame ends all others, and its death is named") {
    const auto* changes =
        GENERATE(R"({"strategy": {"algorithm": "halving_doubling"}})",
                 R"({"strategy": {"algorithm": "recursive_doubling"}})",
                 R"({"strategy": {"algorithm": "tree"}})", R"({"strategy": {"algorithm": "pairwise"}})",
                 R"({"strategy": {"algorithm": "hierarchical"}})", R"({"strategy": {"wire_type": "top_k"}})",
                 R"({"strategy": {"batch_norm_statistics": "synchronised", "overlap": false}})",
                 R"({"strategy": {"name": "local_sgd", "average_every": 2}})",
                 R"({"strategy": {"overlap_forward": true, "connections": 2}})");
    const std::int64_t nodes = GENERATE(2, 3, 4);
    CAPTURE(changes, nodes);
    for (const auto& run : runs_with_a_death(spec_of_death(changes), nodes))
        CHECK(std::ranges::any_of(run, [&](const auto& node) { return names(node, nodes - 1); }));
}
