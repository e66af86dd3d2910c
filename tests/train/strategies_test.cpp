// Every strategy trains a cluster as the strategy `local` trains one node on whole batches: the same loss at
// each step, but for rounding. Dropout is on, and the nodes do not divide the batch unless a case says so.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "spec/parse.hpp"
#include "strategy/compile.hpp"
#include "train/memory_cluster.hpp"
#include "train/noise_images.hpp"

using namespace convoy;
using namespace convoy::test;
using nlohmann::json;

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

/// The same, but for batches that 2 and 3 nodes divide.
constexpr const char* equal_shares = R"({"batch_size": 6, "dataset": {"train_examples": 60}})";

constexpr const char* with_batch_norm = R"({
    "strategy": {"batch_norm_statistics": "synchronised", "bucket_bytes": 2048},
    "model": {"input": [1, 28, 28], "layers": [
        {"type": "conv2d", "filters": 16, "kernel": 5, "stride": 2, "l2": 0.02},
        {"type": "batch_norm", "activation": "relu"},
        {"type": "conv2d", "filters": 16, "kernel": 3, "stride": 2, "l2": 0.01, "groups": 16},
        {"type": "batch_norm"}, {"type": "activation", "activation": "relu"},
        {"type": "dropout", "rate": 0.25}, {"type": "flatten"},
        {"type": "dense", "units": 32, "activation": "leaky_relu", "l2": 0.01}, {"type": "dropout", "rate": 0.5},
        {"type": "dense", "units": 10, "activation": "softmax"}]}})";

/// The form of the model `landcover`, in small: a branch for a sequence, one for images, joined by dense
/// layers.
constexpr const char* two_inputs = R"({
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

enum class Networks { all, without_batch_norm };

/// One way to train. A new strategy is a line of a table below.
struct Case {
    const char* name;
    const char* strategy;         ///< what only the cluster is told
    const char* training = "{}";  ///< what the one node is told too
    Networks networks = Networks::all;
};

using Cases = std::vector<Case>;

/// Ways to sum gradients.
Cases sums() {
    return {
        {"ring", R"({"strategy": {"algorithm": "ring"}})"},
        {"halving doubling", R"({"strategy": {"algorithm": "halving_doubling"}})"},
        {"recursive doubling", R"({"strategy": {"algorithm": "recursive_doubling"}})"},
        {"tree", R"({"strategy": {"algorithm": "tree"}})"},
        {"pairwise", R"({"strategy": {"algorithm": "pairwise"}})"},
        {"hierarchical", R"({"strategy": {"algorithm": "hierarchical"}})"},
        {"auto", R"({"strategy": {"algorithm": "auto"}})"},
        {"small segments", R"({"strategy": {"segment_bytes": 1024}})"},
        {"one bucket a tensor, two connections",
         R"({"strategy": {"bucketing": "per_tensor", "connections": 2}})"},
    };
}

/// Ways to order, to delay and to split what a step computes.
Cases schedules() {
    return {
        {"no update before all sums", R"({"strategy": {"commit": "by_step", "bucketing": "per_tensor"}})"},
        {"no update before all sums, micro-batches",
         R"({"micro_batch_size": 2, "strategy": {"commit": "by_step"}})", "{}", Networks::without_batch_norm},
        {"without overlap", R"({"strategy": {"overlap": false, "bucketing": "end_of_step"}})"},
        {"overlap with the forward pass", R"({"strategy": {"overlap_forward": true, "connections": 2}})"},
        {"unfused, overlap with the forward pass",
         R"({"strategy": {"overlap_forward": true}, "kernels": {"fusion": false}})"},
        {"micro-batches", R"({"micro_batch_size": 2})", "{}", Networks::without_batch_norm},
        {"local SGD with an average behind each step",
         R"({"strategy": {"name": "local_sgd", "average_every": 1}})", equal_shares,
         Networks::without_batch_norm},
        {"plain layouts, recomputed", R"({"kernels": {"parameter_layout": "plain"}})",
         R"({"kernels": {"recompute": true}})"},
    };
}

/// Parameter servers.
Cases parameter_servers() {
    return {
        {"no update before all sums, two parameter servers",
         R"({"strategy": {"name": "parameter_server", "servers": 2, "commit": "by_step"}})"},
        {"a parameter server", R"({"strategy": {"name": "parameter_server"}})"},
        {"two parameter servers, without overlap",
         R"({"strategy": {"name": "parameter_server", "servers": 2, "overlap": false}})"},
        {"two parameter servers, new values come behind the forward pass",
         R"({"strategy": {"name": "parameter_server", "servers": 2, "overlap_forward": true, "slice_bytes": 20000,
                          "connections": 2}, "cluster": {"link_mbit": 10}})"},
        {"a parameter server that clips by the global norm", R"({"strategy": {"name": "parameter_server"}})",
         R"({"gradient_clipping": {"by": "global_norm", "limit": 0.5}})"},
        {"two parameter servers that clip by the global norm",
         R"({"strategy": {"name": "parameter_server", "servers": 2}})",
         R"({"gradient_clipping": {"by": "global_norm", "limit": 0.5}})"},
        {"two parameter servers that clip by the global norm, no update before all sums",
         R"({"strategy": {"name": "parameter_server", "servers": 2, "commit": "by_step"}})",
         R"({"gradient_clipping": {"by": "global_norm", "limit": 0.5}})"},
        {"more parameter servers than buckets, clipped by the global norm",
         R"({"strategy": {"name": "parameter_server", "servers": 2, "bucket_bytes": 1000000000}})",
         R"({"gradient_clipping": {"by": "global_norm", "limit": 0.5}})"},
        {"three parameter servers, small slices, clipped by value",
         R"({"strategy": {"name": "parameter_server", "servers": 3, "slice_bytes": 20000}})",
         R"({"gradient_clipping": {"by": "value", "limit": 0.01}})"},
        {"three parameter servers, small slices, unfused, plain kernels, clipped by the global norm",
         R"({"strategy": {"name": "parameter_server", "servers": 3, "slice_bytes": 30000},
             "kernels": {"name": "xtensor", "fusion": false}})",
         R"({"gradient_clipping": {"by": "global_norm", "limit": 0.5}})"},
        {"three parameter servers, clipped by each parameter's norm",
         R"({"strategy": {"name": "parameter_server", "servers": 3, "slice_bytes": 1000}})",
         R"({"gradient_clipping": {"by": "norm", "limit": 0.2}})"},
    };
}

/// Dense layers cut over the nodes. The default cuts the first dense layer of mnist_cnn.
Cases hybrids() {
    return {
        {"a cut dense layer", R"({"strategy": {"name": "hybrid"}})"},
        {"all dense layers cut, without overlap",
         R"({"strategy": {"name": "hybrid", "cut_layers": ["dense_1", "dense_2"], "overlap": false}})"},
        {"all dense layers cut, unfused, no update before all sums",
         R"({"strategy": {"name": "hybrid", "cut_layers": ["dense_1", "dense_2"], "commit": "by_step"},
             "kernels": {"fusion": false}})"},
        {"a cut dense layer, plain kernels", R"({"strategy": {"name": "hybrid", "cut_layers": ["dense_1"]}})",
         R"({"kernels": "xtensor"})"},
        {"a cut dense layer, clipped by the global norm",
         R"({"strategy": {"name": "hybrid", "cut_layers": ["dense_1"]}})",
         R"({"gradient_clipping": {"by": "global_norm", "limit": 0.5}})"},
    };
}

/// Kernels of convolutions shared by three nodes.
Cases shared_kernels() {
    return {
        {"kernels shared equally", R"({"strategy": {"name": "filter_parallel", "shares": [1, 1, 1]}})"},
        {"kernels shared unequally, plain kernels",
         R"({"strategy": {"name": "filter_parallel", "shares": [0.2, 1, 0.5]}})",
         R"({"kernels": "xtensor"})"},
        {"a node without kernels, unfused",
         R"({"strategy": {"name": "filter_parallel", "shares": [1, 0, 2]}, "kernels": {"fusion": false}})"},
        {"shared kernels in sub-batches",
         R"({"strategy": {"name": "filter_parallel", "shares": [1, 1, 1], "sub_batches": 3}})"},
        {"shared kernels in sub-batches, plain kernels",
         R"({"strategy": {"name": "filter_parallel", "shares": [0.2, 1, 0.5], "sub_batches": 2}})",
         R"({"kernels": "xtensor"})"},
        {"shared kernels, clipped by the global norm",
         R"({"strategy": {"name": "filter_parallel", "shares": [1, 1, 1]}})",
         R"({"gradient_clipping": {"by": "global_norm", "limit": 0.5}})"},
    };
}

/// Each strategy for a network of two inputs, on three nodes.
Cases of_two_inputs() {
    return {
        {"sums", "{}"},
        {"two parameter servers",
         R"({"strategy": {"name": "parameter_server", "servers": 2, "slice_bytes": 4096}})"},
        {"stages by branch", R"({"strategy": {"name": "model_split", "stages": [
             ["conv1d_1", "max_pool1d_1", "of_curve"], ["conv2d_1", "max_pool_1", "of_image"],
             ["concat_1", "dense_1", "dropout_1", "dense_2"]]}})"},
        {"stages by depth", R"({"strategy": {"name": "model_split", "stages": [
             ["conv1d_1", "max_pool1d_1", "conv2d_1"], ["of_curve", "max_pool_1", "of_image", "concat_1"],
             ["dense_1", "dropout_1", "dense_2"]]}})"},
        {"a dropout first in its stage, unfused",
         R"({"kernels": {"fusion": false}, "strategy": {"name": "model_split", "stages": [
             ["conv1d_1", "max_pool1d_1", "of_curve"], ["conv2d_1", "max_pool_1", "of_image", "concat_1", "dense_1"],
             ["dropout_1", "dense_2"]]}})"},
        {"a cut dense layer", R"({"strategy": {"name": "hybrid", "cut_layers": ["dense_1"]}})"},
        {"shared kernels", R"({"strategy": {"name": "filter_parallel", "shares": [1, 1, 1]}})"},
    };
}

/// Twenty steps: four epochs of four whole batches and one of ten examples, which 8 micro-batches do not
/// divide.
constexpr const char* larger_batches = R"({"batch_size": 14, "epochs": 4, "seed": 3})";

/// Pipelines of three stages.
Cases pipelines_of_three() {
    return {
        {"one micro-batch", R"({"strategy": {"micro_batches": 1, "schedule": "zero_bubble"}})",
         larger_batches},
        {"fill_drain, 2 micro-batches", R"({"strategy": {"micro_batches": 2}})", larger_batches},
        {"fill_drain, 8 micro-batches", R"({"strategy": {"micro_batches": 8}})", larger_batches},
        {"1f1b, 2 micro-batches", R"({"strategy": {"micro_batches": 2, "schedule": "1f1b"}})",
         larger_batches},
        {"1f1b, 8 micro-batches", R"({"strategy": {"micro_batches": 8, "schedule": "1f1b"}})",
         larger_batches},
        {"zero_bubble, 2 micro-batches", R"({"strategy": {"micro_batches": 2, "schedule": "zero_bubble"}})",
         larger_batches},
        {"zero_bubble, 8 micro-batches", R"({"strategy": {"micro_batches": 8, "schedule": "zero_bubble"}})",
         larger_batches},
        {"zero_bubble, chosen stages", R"({"strategy": {"micro_batches": 3, "schedule": "zero_bubble",
             "stages": 3}})"},
    };
}

/// Two replicas of two stages.
Cases replicas_of_two_stages() {
    return {
        {"one micro-batch", R"({"strategy": {"replicas": 2, "batch_norm_statistics": "synchronised"}})"},
        {"one micro-batch, without overlap, clipped by the global norm",
         R"({"strategy": {"replicas": 2, "overlap": false, "batch_norm_statistics": "synchronised"}})",
         R"({"gradient_clipping": {"by": "global_norm", "limit": 0.5}})"},
        {"zero_bubble, 3 micro-batches, no update before all sums, clipped by each norm",
         R"({"strategy": {"replicas": 2, "micro_batches": 3, "schedule": "zero_bubble", "commit": "by_step"}})",
         R"({"gradient_clipping": {"by": "norm", "limit": 0.2}})", Networks::without_batch_norm},
        {"fill_drain, 3 micro-batches, three connections",
         R"({"strategy": {"replicas": 2, "micro_batches": 3, "bucket_bytes": 5000, "connections": 3}})", "{}",
         Networks::without_batch_norm},
        {"plain kernels, 2 micro-batches",
         R"({"kernels": "xtensor", "strategy": {"replicas": 2, "micro_batches": 2}})",
         R"({"kernels": "xtensor"})", Networks::without_batch_norm},
        {"1f1b, 2 micro-batches, small buckets",
         R"({"strategy": {"replicas": 2, "micro_batches": 2, "schedule": "1f1b", "bucket_bytes": 5000,
                          "connections": 2}})",
         "{}", Networks::without_batch_norm},
    };
}

/// The same, each of which also tells how gradients are clipped, or which kernels compute.
Cases pipelines_in_other_ways() {
    return {
        {"1f1b, clipped by the global norm", R"({"strategy": {"micro_batches": 3, "schedule": "1f1b"}})",
         R"({"gradient_clipping": {"by": "global_norm", "limit": 0.5}})"},
        {"zero_bubble, plain kernels", R"({"strategy": {"micro_batches": 3, "schedule": "zero_bubble"}})",
         R"({"kernels": "xtensor"})"},
        {"zero_bubble, unfused", R"({"strategy": {"micro_batches": 3, "schedule": "zero_bubble"},
             "kernels": {"fusion": false}})"},
    };
}

/// Gradients clipped by sums of all nodes.
Cases clippings() {
    return {
        {"clipped by the global norm", R"({"strategy": {"overlap_forward": true}})",
         R"({"gradient_clipping": {"by": "global_norm", "limit": 0.5}})"},
        {"clipped by each norm", R"({"strategy": {"overlap_forward": true}})",
         R"({"gradient_clipping": {"by": "norm", "limit": 0.2}})"},
        {"clipped by value", "{}", R"({"gradient_clipping": {"by": "value", "limit": 0.01}})"},
    };
}

/// Shares that are not equal, on three nodes.
Cases unequal_shares() {
    return {
        {"weights", R"({"strategy": {"balance": [1, 1, 0.5]}})"},
        {"weights, micro-batches", R"({"micro_batch_size": 2, "strategy": {"balance": [1, 1, 0.5]}})", "{}",
         Networks::without_batch_norm},
        {"weights, two parameter servers",
         R"({"strategy": {"name": "parameter_server", "servers": 2, "balance": [0.2, 1, 1]}})"},
        {"weights, local SGD with an average behind each step",
         R"({"strategy": {"name": "local_sgd", "average_every": 1, "balance": [1, 1, 0.5]}})", equal_shares,
         Networks::without_batch_norm},
    };
}

/// The base spec on a network, with its data.
json base_spec(const char* network) {
    auto spec = json::parse(base);
    spec["dataset"] = NoiseImages::dataset();
    spec.merge_patch(json::parse(network));
    return spec;
}

const std::filesystem::path& data_folder() {
    static const NoiseImages images(66, 6);
    return images.folder();
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

/// Relative to the expected loss, over all steps.
double largest_difference(const std::vector<double>& found, const std::vector<double>& expected) {
    double largest = 0.0;
    for (std::size_t i = 0; i < expected.size(); ++i)
        largest = std::max(largest, std::abs(found.at(i) - expected[i]) / expected[i]);
    return largest;
}

/// The weights of one node after so many steps.
std::vector<std::byte> weights_after(json spec, std::int64_t steps) {
    spec["max_steps"] = steps;
    return run_memory_cluster(parse_spec(spec), 1, {.data_folder = data_folder()}).at(0).weights;
}

/// Holds each case on so many nodes against one node.
void check_all(const Cases& cases, const char* network, Networks networks,
               const std::vector<std::int64_t>& node_counts) {
    std::map<json, std::vector<double>> expected;  // by the one node's spec
    const auto trained = base_spec(network);
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

/// The cases, with these stages.
void check_pipelines(const Cases& cases, const char* stages, const char* network, std::int64_t nodes,
                     Networks networks = Networks::without_batch_norm) {
    std::vector<std::string> texts;  // outlive the cases
    texts.reserve(cases.size());
    Cases staged;
    for (const auto& each : cases) {
        auto strategy = json::parse(each.strategy);
        strategy["strategy"]["name"] = "model_split";
        if (!strategy["strategy"].contains("stages")) strategy["strategy"]["stages"] = json::parse(stages);
        texts.push_back(strategy.dump());
        staged.push_back({each.name, texts.back().c_str(), each.training, each.networks});
    }
    check_all(staged, network, networks, {nodes});
}

}  // namespace

TEST_CASE("the comparison of losses sees a gradient that is wrong by 2%") {
    const auto network = GENERATE(as<std::string>{}, "{}", with_batch_norm);
    auto spec = base_spec(network.c_str());
    spec["strategy"] = "local";
    const auto right = losses_of(spec, 1);
    spec["optimizer"]["learning_rate"] = spec["optimizer"]["learning_rate"].get<double>() * 1.02;
    CHECK(largest_difference(losses_of(spec, 1), right) > 1e-4);
}

TEST_CASE("every way to sum gradients trains mnist_cnn on three nodes as one node does", "[large]") {
    check_all(sums(), "{}", Networks::without_batch_norm, {3});
}

TEST_CASE("every schedule of a step trains mnist_cnn on three nodes as one node does", "[large]") {
    check_all(schedules(), "{}", Networks::without_batch_norm, {3});
}

TEST_CASE("every number of parameter servers trains mnist_cnn on three nodes as one node does", "[large]") {
    check_all(parameter_servers(), "{}", Networks::without_batch_norm, {3});
}

TEST_CASE("every clipping of gradients trains mnist_cnn on three nodes as one node does", "[large]") {
    check_all(clippings(), "{}", Networks::without_batch_norm, {3});
}

TEST_CASE("every hybrid trains mnist_cnn on 2 and 3 nodes as one node does", "[large]") {
    check_all(hybrids(), "{}", Networks::without_batch_norm, {2, 3});
}

TEST_CASE("every hybrid trains batch normalisation on 2 to 5 nodes as one node does") {
    check_all(hybrids(), with_batch_norm, Networks::all, {2, 3, 4, 5});
}

TEST_CASE("shared kernels train mnist_cnn on three nodes as one node does", "[large]") {
    check_all(shared_kernels(), "{}", Networks::without_batch_norm, {3});
}

TEST_CASE("shared kernels train batch normalisation on three nodes as one node does") {
    check_all(shared_kernels(), with_batch_norm, Networks::all, {3});
}

TEST_CASE("every way to sum gradients trains batch normalisation on 2 to 4 nodes as one node does") {
    check_all(sums(), with_batch_norm, Networks::all, {2, 3, 4});
}

TEST_CASE("every schedule of a step trains batch normalisation on 2 to 4 nodes as one node does") {
    check_all(schedules(), with_batch_norm, Networks::all, {2, 3, 4});
}

TEST_CASE("every number of parameter servers trains batch normalisation on 2 to 4 nodes as one node does") {
    check_all(parameter_servers(), with_batch_norm, Networks::all, {2, 3, 4});
}

TEST_CASE("every clipping of gradients trains batch normalisation on 2 to 4 nodes as one node does") {
    check_all(clippings(), with_batch_norm, Networks::all, {2, 3, 4});
}

TEST_CASE("unequal shares train mnist_cnn on three nodes as one node does", "[large]") {
    check_all(unequal_shares(), "{}", Networks::without_batch_norm, {3});
}

TEST_CASE("unequal shares train batch normalisation on three nodes as one node does") {
    check_all(unequal_shares(), with_batch_norm, Networks::all, {3});
}

TEST_CASE("every strategy trains a network of two inputs as one node does") {
    check_all(of_two_inputs(), two_inputs, Networks::without_batch_norm, {3});
}

TEST_CASE("every pipeline of three stages trains mnist_cnn as one node does", "[large]") {
    constexpr const char* stages = R"([["conv2d_1"], ["conv2d_2", "max_pool_1", "dropout_1"],
                                       ["flatten_1", "dense_1", "dropout_2", "dense_2"]])";
    check_pipelines(pipelines_of_three(), stages, "{}", 3);
}

TEST_CASE("every pipeline of two stages trains mnist_cnn as one node does", "[large]") {
    constexpr const char* stages = R"([["conv2d_1", "conv2d_2", "max_pool_1", "dropout_1", "flatten_1"],
                                       ["dense_1", "dropout_2", "dense_2"]])";
    const auto cases = pipelines_of_three();
    check_pipelines({cases.begin() + 1, cases.end() - 1}, stages, "{}", 2);
}

TEST_CASE("two replicas of two stages train mnist_cnn as one node does", "[large]") {
    check_pipelines(replicas_of_two_stages(), "2", "{}", 4);
}

TEST_CASE("two replicas of two stages train a network of two inputs as one node does") {
    check_pipelines(replicas_of_two_stages(), "2", two_inputs, 4);
}

TEST_CASE("three replicas of two stages, and two of three, train a network of two inputs as one node does") {
    check_pipelines(
        {{"three replicas", R"({"strategy": {"replicas": 3, "micro_batches": 2, "schedule": "1f1b"}})",
          larger_batches}},
        "2", two_inputs, 6);
    check_pipelines(
        {{"three stages", R"({"strategy": {"replicas": 2, "micro_batches": 3, "connections": 2}})",
          larger_batches}},
        "3", two_inputs, 6);
}

TEST_CASE("two replicas of two stages train batch normalisation as one node does") {
    check_pipelines(replicas_of_two_stages(), "2", with_batch_norm, 4, Networks::all);
}

TEST_CASE("every pipeline trains a network of two inputs as one node does") {
    constexpr const char* branches = R"([["conv1d_1", "max_pool1d_1", "of_curve"],
        ["conv2d_1", "max_pool_1", "of_image"], ["concat_1", "dense_1", "dropout_1", "dense_2"]])";
    constexpr const char* depths = R"([["conv1d_1", "max_pool1d_1", "conv2d_1"],
        ["of_curve", "max_pool_1", "of_image", "concat_1"], ["dense_1", "dropout_1", "dense_2"]])";
    constexpr const char* two = R"([["conv1d_1", "max_pool1d_1", "conv2d_1", "of_curve"],
        ["max_pool_1", "of_image", "concat_1", "dense_1", "dropout_1", "dense_2"]])";
    check_pipelines(pipelines_of_three(), branches, two_inputs, 3);
    check_pipelines(pipelines_of_three(), depths, two_inputs, 3);
    check_pipelines(pipelines_in_other_ways(), depths, two_inputs, 3);
    const auto cases = pipelines_of_three();
    check_pipelines({cases.begin() + 1, cases.end() - 1}, two, two_inputs, 2);
}

TEST_CASE("a pipeline has the same bits each time") {
    auto spec = base_spec(two_inputs);
    spec["strategy"] = json::parse(R"({"name": "model_split", "micro_batches": 3, "schedule": "zero_bubble",
        "stages": [["conv1d_1", "max_pool1d_1", "conv2d_1", "of_curve"],
                   ["max_pool_1", "of_image", "concat_1", "dense_1", "dropout_1", "dense_2"]]})");
    CHECK(losses_of(spec, 2) == losses_of(spec, 2));
}

TEST_CASE("a network whose layers are split over two nodes trains as on one node") {
    struct Split {
        const char* network;
        const char* stages;
    };
    const auto split =
        GENERATE(Split{"{}", R"([["conv2d_1", "conv2d_2", "max_pool_1", "dropout_1", "flatten_1"],
                        ["dense_1", "dropout_2", "dense_2"]])"},
                 Split{"{}", R"([["conv2d_2", "max_pool_1", "dense_2", "dropout_2"],
                        ["conv2d_1", "dropout_1", "flatten_1", "dense_1"]])"},
                 Split{with_batch_norm, R"([["conv2d_1", "batch_norm_1", "conv2d_2"],
                                   ["batch_norm_2", "activation_1", "dropout_1", "flatten_1", "dense_1",
                                    "dropout_2", "dense_2"]])"});
    const auto* clipping = GENERATE("null", R"({"by": "global_norm", "limit": 0.5})");
    auto alone = base_spec(split.network);
    alone["gradient_clipping"] = json::parse(clipping);
    auto together = alone;
    alone["strategy"] = "local";
    together["strategy"]["name"] = "model_split";
    together["strategy"]["stages"] = json::parse(split.stages);
    const auto expected = losses_of(alone, 1);
    const auto found = losses_of(together, 2);
    REQUIRE(expected.size() == 20);
    REQUIRE(found.size() == 20);
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == Approx(expected[i]).epsilon(1e-4));
}
