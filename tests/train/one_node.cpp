#include "train/one_node.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <map>

#include "spec/parse.hpp"
#include "strategy/compile.hpp"
#include "train/memory_cluster.hpp"
#include "train/noise_images.hpp"

namespace convoy::test {

using nlohmann::json;

const char* const with_batch_norm = R"({
    "strategy": {"batch_norm_statistics": "synchronised", "bucket_bytes": 2048},
    "model": {"input": [1, 28, 28], "layers": [
        {"type": "conv2d", "filters": 16, "kernel": 5, "stride": 2, "l2": 0.02},
        {"type": "batch_norm", "activation": "relu"},
        {"type": "conv2d", "filters": 16, "kernel": 3, "stride": 2, "l2": 0.01, "groups": 16},
        {"type": "batch_norm"}, {"type": "activation", "activation": "relu"},
        {"type": "dropout", "rate": 0.25}, {"type": "flatten"},
        {"type": "dense", "units": 32, "activation": "leaky_relu", "l2": 0.01}, {"type": "dropout", "rate": 0.5},
        {"type": "dense", "units": 10, "activation": "softmax"}]}})";

const char* const two_inputs = R"({
    "dataset": {"images": null, "test_images": null, "inputs": {
        "image": {"files": "x.npy", "test_files": "test_x.npy"},
        "curve": {"files": "curve.npy", "test_files": "test_curve.npy"}}},
    "model": {"input": {"image": [1, 28, 28], "curve": [1, 1, 40]}, "layers": [
        {"type": "conv1d", "inputs": ["curve"], "filters": 8, "kernel": 5, "padding": "same", "activation": "relu"},
        {"type": "max_pool1d", "size": 2}, {"type": "flatten", "name": "of_curve"},
        {"type": "conv2d", "inputs": ["image"], "filters": 12, "kernel": 5, "stride": 2, "activation": "relu"},
        {"type": "max_pool", "size": 2}, {"type": "flatten", "name": "of_image"},
        {"type": "concat", "inputs": ["of_curve", "of_image"]},
        {"type": "dense", "units": 32, "activation": "relu"}, {"type": "dropout", "rate": 0.5},
        {"type": "dense", "units": 10, "activation": "softmax"}]}})";

namespace {

/// Twenty steps: two epochs of nine whole batches and one of three examples, of which a fourth node gets
/// none. A small step: a max pooling or a ReLU of millions may meet a tie that rounding decides, and a larger
/// step would make more of it.
constexpr const char* base = R"({
    "model": "mnist_cnn",
    "batch_size": 7, "epochs": 2, "seed": 2,
    "optimizer": {"name": "sgd", "learning_rate": 0.005, "momentum": 0.5},
    "strategy": {"bucket_bytes": 65536},
    "measure": {"trace_steps": 0}})";

const std::filesystem::path& data_folder() {
    static const NoiseImages images(66, 6);
    return images.folder();
}

/// The weights of one node after so many steps.
std::vector<std::byte> weights_after(json spec, std::int64_t steps) {
    spec["max_steps"] = steps;
    return run_memory_cluster(parse_spec(spec), 1, {.data_folder = data_folder()}).at(0).weights;
}

}  // namespace

json spec_of_20_steps(const std::string& network) {
    auto spec = json::parse(base);
    spec["dataset"] = NoiseImages::dataset();
    spec.merge_patch(json::parse(network));
    return spec;
}

std::vector<double> losses_of(json json_spec, std::int64_t nodes) {
    json_spec["nodes"] = nodes;
    const auto spec = parse_spec(json_spec);
    MemoryClusterOptions options{.data_folder = data_folder()};
    for (std::int64_t rank = 0; rank < ranks_of(spec); ++rank) options.host_of_rank.push_back(rank / 2);
    const auto cluster = run_memory_cluster(spec, nodes, options);
    std::string failures;
    for (const auto& node : cluster)
        if (!node.end.message.empty()) failures += node.end.message + "; ";
    REQUIRE(failures == "");
    return step_losses(cluster);
}

double largest_difference(const std::vector<double>& found, const std::vector<double>& expected) {
    double largest = 0.0;
    for (std::size_t i = 0; i < expected.size(); ++i)
        largest = std::max(largest, std::abs(found.at(i) - expected[i]) / expected[i]);
    return largest;
}

void check_against_one_node(const TrainingCases& cases, const std::string& network, Networks networks,
                            const std::vector<std::int64_t>& node_counts) {
    std::map<json, std::vector<double>> expected;  // by the one node's spec
    const auto trained = spec_of_20_steps(network);
    CHECK(weights_after(trained, 1) != weights_after(trained, 0));
    for (const auto& each : cases) {
        if (networks == Networks::all && each.networks != Networks::all) continue;
        auto alone = trained;
        alone.merge_patch(json::parse(each.training));
        auto together = alone;
        together.merge_patch(json::parse(each.strategy));
        alone["strategy"] = "local";
        if (!expected.contains(alone)) expected[alone] = losses_of(alone, 1);
        const auto& losses = expected[alone];
        REQUIRE(losses.size() == 20);
        for (const auto nodes : node_counts) {
            const auto found = losses_of(together, nodes);
            INFO(each.name << " on " << nodes << " nodes");
            REQUIRE(found.size() == losses.size());
            CHECK(largest_difference(found, losses) < 1e-4);
        }
    }
}

}  // namespace convoy::test
