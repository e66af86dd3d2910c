// Every pipeline, with replicas of its stages or without, trains as one node does (strategies_test.cpp).

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "train/one_node.hpp"

using namespace convoy::test;
using nlohmann::json;

namespace {

/// Twenty steps: four epochs of four whole batches and one of ten examples, which 8 micro-batches do not
/// divide.
constexpr const char* larger_batches = R"({"batch_size": 14, "epochs": 4, "seed": 3})";

/// Pipelines of three stages.
TrainingCases pipelines_of_three() {
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
TrainingCases replicas_of_two_stages() {
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

/// Pipelines that also tell how gradients are clipped, or which kernels compute.
TrainingCases pipelines_in_other_ways() {
    return {
        {"1f1b, clipped by the global norm", R"({"strategy": {"micro_batches": 3, "schedule": "1f1b"}})",
         R"({"gradient_clipping": {"by": "global_norm", "limit": 0.5}})"},
        {"zero_bubble, plain kernels", R"({"strategy": {"micro_batches": 3, "schedule": "zero_bubble"}})",
         R"({"kernels": "xtensor"})"},
        {"zero_bubble, unfused", R"({"strategy": {"micro_batches": 3, "schedule": "zero_bubble"},
             "kernels": {"fusion": false}})"},
    };
}

/// The cases, with these stages.
void check_pipelines(TrainingCases cases, const std::string& stages, const std::string& network,
                     std::int64_t nodes, Networks networks = Networks::without_batch_norm) {
    for (auto& each : cases) {
        auto strategy = json::parse(each.strategy);
        strategy["strategy"]["name"] = "model_split";
        if (!strategy["strategy"].contains("stages")) strategy["strategy"]["stages"] = json::parse(stages);
        each.strategy = strategy.dump();
    }
    check_against_one_node(cases, network, networks, {nodes});
}

}  // namespace

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
    auto spec = spec_of_20_steps(two_inputs);
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
    auto alone = spec_of_20_steps(split.network);
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
