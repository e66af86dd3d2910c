// A training that goes on with other nodes, or with another strategy, takes the same steps as on one node.

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "checkpoint/other_cut.hpp"
#include "spec/parse.hpp"
#include "strategy/compile.hpp"
#include "tensor/safetensors.hpp"
#include "train/memory_cluster.hpp"
#include "train/noise_images.hpp"

using namespace convoy;
using namespace convoy::test;
using nlohmann::json;

namespace {

/// Two epochs of five steps, and a checkpoint in the midst of the first.
constexpr const char* training = R"({
    "model": {"input": [1, 28, 28], "layers": [
        {"type": "conv2d", "filters": 8, "kernel": 5, "stride": 3, "activation": "relu"},
        {"type": "dropout", "rate": 0.25}, {"type": "flatten"},
        {"type": "dense", "units": 24, "activation": "relu"},
        {"type": "dense", "units": 10, "activation": "softmax"}]},
    "batch_size": 7, "epochs": 2, "seed": 2,
    "optimizer": {"name": "adam", "learning_rate": 0.001},
    "checkpoints": {"every_steps": 3},
    "measure": {"trace_steps": 0}})";

constexpr const char* stages_before = R"({"strategy": {"name": "model_split", "stages": [
    ["conv2d_1", "dropout_1"], ["flatten_1", "dense_1", "dense_2"]]}})";
constexpr const char* stages_after = R"({"strategy": {"name": "model_split", "stages": [
    ["conv2d_1", "dropout_1", "flatten_1", "dense_1"], ["dense_2"]]}})";
constexpr const char* pipeline = R"({"strategy": {"name": "model_split", "stages": 2, "micro_batches": 3,
    "schedule": "zero_bubble"}})";
constexpr const char* replicas = R"({"strategy": {"name": "model_split", "stages": 2, "replicas": 2}})";
constexpr const char* two_servers =
    R"({"strategy": {"name": "parameter_server", "servers": 2, "bucket_bytes": 1024}})";
constexpr const char* servers_of_slices =
    R"({"strategy": {"name": "parameter_server", "servers": 3, "slice_bytes": 4000}})";

constexpr const char* cut_layers =
    R"({"strategy": {"name": "hybrid", "cut_layers": ["dense_1", "dense_2"]}})";

constexpr const char* kernels_of_three = R"({"strategy": {"name": "filter_parallel", "shares": [1, 2, 1]}})";
constexpr const char* kernels_of_two = R"({"strategy": {"name": "filter_parallel", "shares": [1, 2]}})";

/// One way to train, before or after the checkpoint.
struct Cut {
    std::int64_t nodes;
    const char* strategy;
};

ExperimentSpec spec_of(const Cut& cut) {
    auto spec = json::parse(training);
    spec["dataset"] = NoiseImages::dataset();
    spec.merge_patch(json::parse(cut.strategy));
    spec["nodes"] = cut.nodes;
    return parse_spec(spec);
}

const std::filesystem::path& folder_of_noise() {
    static const NoiseImages images(33, 6);
    return images.folder();
}

std::vector<NodeOutcome> run(const Cut& cut, std::vector<NodeCheckpoint> resume = {}) {
    auto cluster = run_memory_cluster(spec_of(cut), cut.nodes,
                                      {.resume = std::move(resume), .data_folder = folder_of_noise()});
    for (const auto& node : cluster) REQUIRE(node.end.message == "");
    return cluster;
}

/// The first checkpoint of a run, for the ranks of another cut; each rank gets the tensors of the network.
std::vector<NodeCheckpoint> first_checkpoint(const std::vector<NodeOutcome>& cluster, const Cut& next) {
    RunCheckpoint checkpoint;
    for (const auto& node : cluster) checkpoint.nodes.push_back(node.checkpoints.at(0));
    auto nodes = cut_anew(std::move(checkpoint), ranks_of(spec_of(next))).checkpoint.nodes;
    for (auto& node : nodes) node.tensors = nodes.front().tensors;
    return nodes;
}

std::vector<double> last(std::vector<double> values, std::size_t count) {
    REQUIRE(values.size() >= count);
    values.erase(values.begin(), values.end() - static_cast<std::ptrdiff_t>(count));
    return values;
}

}  // namespace

TEST_CASE("a training goes on with other nodes or another strategy as it would have on one node") {
    const auto expected = last(step_losses(run({1, R"({"strategy": "local"})"})), 7);
    struct Change {
        Cut before, after;
    };
    const auto change = GENERATE(
        Change{{4, "{}"}, {2, "{}"}}, Change{{1, R"({"strategy": "local"})"}, {3, "{}"}},
        Change{{3, "{}"}, {2, two_servers}}, Change{{2, two_servers}, {3, "{}"}},
        Change{{2, two_servers}, {2, stages_before}}, Change{{2, servers_of_slices}, {3, "{}"}},
        Change{{2, servers_of_slices}, {2, two_servers}}, Change{{2, two_servers}, {3, servers_of_slices}},
        Change{{2, stages_before}, {1, R"({"strategy": "local"})"}},
        Change{{2, stages_before}, {4, replicas}}, Change{{4, replicas}, {4, replicas}},
        Change{{4, replicas}, {3, "{}"}}, Change{{2, stages_before}, {2, stages_after}},
        Change{{2, pipeline}, {3, "{}"}}, Change{{3, cut_layers}, {2, cut_layers}},
        Change{{2, two_servers}, {4, cut_layers}}, Change{{4, cut_layers}, {3, "{}"}},
        Change{{3, kernels_of_three}, {3, kernels_of_three}},
        Change{{3, kernels_of_three}, {2, kernels_of_two}}, Change{{3, kernels_of_three}, {2, cut_layers}},
        Change{{2, "{}"}, {3, kernels_of_three}},
        Change{{2, R"({"kernels": "xtensor"})"}, {2, stages_after}});
    CAPTURE(change.before.nodes, change.before.strategy, change.after.nodes, change.after.strategy);
    const auto found = step_losses(run(change.after, first_checkpoint(run(change.before), change.after)));
    const auto rest = last(found, 7);
    for (std::size_t i = 0; i < rest.size(); ++i) CHECK(rest[i] == Approx(expected[i]).epsilon(1e-4));
}

TEST_CASE("a pipeline that goes on from a checkpoint ends with the same bits") {
    const auto* schedule = GENERATE("fill_drain", "1f1b", "zero_bubble");
    const auto strategy = std::string(R"({"strategy": {"name": "model_split", "micro_batches": 3,
        "stages": [["conv2d_1", "dropout_1"], ["flatten_1", "dense_1", "dense_2"]], "schedule": ")") +
                          schedule + "\"}}";
    const Cut cut{2, strategy.c_str()};
    const auto whole = run(cut);
    const auto resumed = run(cut, first_checkpoint(whole, cut));
    CHECK(last(step_losses(resumed), 7) == last(step_losses(whole), 7));
    for (std::size_t rank = 0; rank < 2; ++rank) CHECK(resumed[rank].weights == whole[rank].weights);
}

TEST_CASE("a training with top_k goes on with other nodes, and without top_k") {
    const Cut four{4, R"({"strategy": {"wire_type": "top_k", "top_k": {"fraction": 0.5}}})"};
    const auto before = run(four);
    const auto next =
        GENERATE(Cut{2, R"({"strategy": {"wire_type": "top_k", "top_k": {"fraction": 0.5}}})"}, Cut{2, "{}"});
    const auto checkpoint = first_checkpoint(before, next);
    auto spec = spec_of(next);
    spec.max_steps = checkpoint.at(0).step;  // no more steps: the weights are those of the checkpoint
    const auto after = run_memory_cluster(spec, 2, {.resume = checkpoint, .data_folder = folder_of_noise()});
    const auto restored = decode_safetensors(after.at(0).weights, "the weights");
    const auto kept = decode_safetensors(before.at(0).checkpoints.at(0).tensors, "the checkpoint");
    REQUIRE(restored.size() == 6);
    for (const auto& tensor : restored) CHECK(std::ranges::count(kept, tensor) == 1);
}
