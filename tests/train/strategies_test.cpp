// Every strategy trains a cluster as the strategy `local` trains one node on whole batches: the same loss at
// each step, but for rounding. Dropout is on, and the nodes do not divide the batch unless a case says so. A
// new strategy is a line of a table here, or in pipelines_test.cpp.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "train/one_node.hpp"

using namespace convoy::test;

namespace {

/// Batches that 2 and 3 nodes divide.
constexpr const char* equal_shares = R"({"batch_size": 6, "dataset": {"train_examples": 60}})";

/// Ways to sum gradients.
TrainingCases sums() {
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
TrainingCases schedules() {
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
TrainingCases parameter_servers() {
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
TrainingCases hybrids() {
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
TrainingCases shared_kernels() {
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
TrainingCases of_two_inputs() {
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

/// Gradients clipped by sums of all nodes.
TrainingCases clippings() {
    return {
        {"clipped by the global norm", R"({"strategy": {"overlap_forward": true}})",
         R"({"gradient_clipping": {"by": "global_norm", "limit": 0.5}})"},
        {"clipped by each norm", R"({"strategy": {"overlap_forward": true}})",
         R"({"gradient_clipping": {"by": "norm", "limit": 0.2}})"},
        {"clipped by value", "{}", R"({"gradient_clipping": {"by": "value", "limit": 0.01}})"},
    };
}

/// Shares that are not equal, on three nodes.
TrainingCases unequal_shares() {
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

}  // namespace

TEST_CASE("the comparison of losses sees a gradient that is wrong by 2%") {
    const auto network = GENERATE(as<std::string>{}, "{}", with_batch_norm);
    auto spec = spec_of_20_steps(network);
    spec["strategy"] = "local";
    const auto right = losses_of(spec, 1);
    spec["optimizer"]["learning_rate"] = spec["optimizer"]["learning_rate"].get<double>() * 1.02;
    CHECK(largest_difference(losses_of(spec, 1), right) > 1e-4);
}

TEST_CASE("every way to sum gradients trains mnist_cnn on three nodes as one node does", "[large]") {
    check_against_one_node(sums(), "{}", Networks::without_batch_norm, {3});
}

TEST_CASE("every schedule of a step trains mnist_cnn on three nodes as one node does", "[large]") {
    check_against_one_node(schedules(), "{}", Networks::without_batch_norm, {3});
}

TEST_CASE("every number of parameter servers trains mnist_cnn on three nodes as one node does", "[large]") {
    check_against_one_node(parameter_servers(), "{}", Networks::without_batch_norm, {3});
}

TEST_CASE("every clipping of gradients trains mnist_cnn on three nodes as one node does", "[large]") {
    check_against_one_node(clippings(), "{}", Networks::without_batch_norm, {3});
}

TEST_CASE("every hybrid trains mnist_cnn on 2 and 3 nodes as one node does", "[large]") {
    check_against_one_node(hybrids(), "{}", Networks::without_batch_norm, {2, 3});
}

TEST_CASE("every hybrid trains batch normalisation on 2 to 5 nodes as one node does") {
    check_against_one_node(hybrids(), with_batch_norm, Networks::all, {2, 3, 4, 5});
}

TEST_CASE("shared kernels train mnist_cnn on three nodes as one node does", "[large]") {
    check_against_one_node(shared_kernels(), "{}", Networks::without_batch_norm, {3});
}

TEST_CASE("shared kernels train batch normalisation on three nodes as one node does") {
    check_against_one_node(shared_kernels(), with_batch_norm, Networks::all, {3});
}

TEST_CASE("every way to sum gradients trains batch normalisation on 2 to 4 nodes as one node does") {
    check_against_one_node(sums(), with_batch_norm, Networks::all, {2, 3, 4});
}

TEST_CASE("every schedule of a step trains batch normalisation on 2 to 4 nodes as one node does") {
    check_against_one_node(schedules(), with_batch_norm, Networks::all, {2, 3, 4});
}

TEST_CASE("every number of parameter servers trains batch normalisation on 2 to 4 nodes as one node does") {
    check_against_one_node(parameter_servers(), with_batch_norm, Networks::all, {2, 3, 4});
}

TEST_CASE("every clipping of gradients trains batch normalisation on 2 to 4 nodes as one node does") {
    check_against_one_node(clippings(), with_batch_norm, Networks::all, {2, 3, 4});
}

TEST_CASE("unequal shares train mnist_cnn on three nodes as one node does", "[large]") {
    check_against_one_node(unequal_shares(), "{}", Networks::without_batch_norm, {3});
}

TEST_CASE("unequal shares train batch normalisation on three nodes as one node does") {
    check_against_one_node(unequal_shares(), with_batch_norm, Networks::all, {3});
}

TEST_CASE("every strategy trains a network of two inputs as one node does") {
    check_against_one_node(of_two_inputs(), two_inputs, Networks::without_batch_norm, {3});
}
