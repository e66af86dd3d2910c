#include "spec/parse.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "spec/minimal.hpp"
#include "spec/run_identity.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;

TEST_CASE("a calibration's ranges ascend, and it does not change the identity of runs without one") {
    const auto strategy = [](const std::string& ranges) {
        return with("strategy", json::parse(R"({"calibration": {"nodes": 4, "beyond": "ring", "ranges": [)" +
                                            ranges + "]}}"));
    };
    const std::string small = R"({"up_to_bytes": 16384, "algorithm": "tree"})";
    const std::string large = R"({"up_to_bytes": 65536, "algorithm": "pairwise"})";
    const auto spec = parse_spec(strategy(small + "," + large));
    CHECK(spec.strategy.calibration->ranges ==
          std::vector<AlgorithmRange>{{16384, AllReduceAlgorithm::tree},
                                      {65536, AllReduceAlgorithm::pairwise}});
    CHECK(parse_spec(to_json(spec)) == spec);
    CHECK(identifying_json(spec)["strategy"].contains("calibration"));
    CHECK_FALSE(identifying_json(parse_spec(minimal))["strategy"].contains("calibration"));
    CHECK_THAT(refusal(strategy(large + "," + small)),
               Contains("$.strategy.calibration.ranges") && Contains("ascending"));
    CHECK_THAT(refusal(strategy(small + "," + small)), Contains("ascending"));
}

TEST_CASE("pairwise exchange is for as many nodes as can all be connected") {
    auto spec = with("strategy", {{"algorithm", "pairwise"}});
    spec["batch_size"] = 64;
    spec["nodes"] = 33;
    CHECK_THAT(refusal(spec), Contains("$.strategy.algorithm: found \"pairwise\""));
    spec["strategy"] = {{"calibration", {{"nodes", 33}, {"ranges", json::array()}, {"beyond", "pairwise"}}}};
    CHECK_THAT(refusal(spec), Contains("$.strategy.calibration: found \"pairwise\""));
    spec["nodes"] = 32;
    CHECK(refusal(spec).empty());
    spec["strategy"] = {{"algorithm", "pairwise"}};
    CHECK(refusal(spec).empty());
}

TEST_CASE("gradients are clipped by their global norm unless another way is named") {
    CHECK(parse_spec(minimal).gradient_clipping == std::nullopt);
    const auto spec = parse_spec(with("gradient_clipping", {{"limit", 0.5}}));
    CHECK(spec.gradient_clipping == GradientClipping{ClipBy::global_norm, 0.5});
    CHECK(parse_spec(to_json(spec)) == spec);
    CHECK(parse_spec(with("gradient_clipping", {{"by", "value"}, {"limit", 2}})).gradient_clipping ==
          GradientClipping{ClipBy::value, 2.0});
}

TEST_CASE("nodes share a batch equally, by speed, or by one weight for each") {
    CHECK(parse_spec(minimal).strategy.balance == BalanceSpec{});
    auto spec = with("strategy", {{"balance", "speed"}});
    CHECK(parse_spec(spec).strategy.balance == BalanceSpec{BalanceBy::speed});
    spec["strategy"]["balance"] = {1, 1, 0.5};
    CHECK_THAT(refusal(spec),
               Contains("$.strategy.balance") && Contains("one weight for each of the 1 nodes"));
    spec["nodes"] = 3;
    const auto parsed = parse_spec(spec);
    CHECK(parsed.strategy.balance == BalanceSpec{BalanceBy::weights, {1.0, 1.0, 0.5}});
    CHECK(parse_spec(to_json(parsed)) == parsed);
    spec["strategy"]["balance"] = {1, 0, 1};
    CHECK_THAT(refusal(spec), Contains("$.strategy.balance[1]: found 0"));
    spec["strategy"]["balance"] = "sped";
    CHECK_THAT(refusal(spec), Contains("$.strategy.balance") && Contains("did you mean \"speed\""));
    spec["strategy"]["balance"] = 2;
    CHECK_THAT(refusal(spec), Contains("or a list with one weight for each node"));
}

TEST_CASE("stages are a number or lists of layers, and work on micro-batches in one of three schedules") {
    CHECK(parse_spec(minimal).strategy.stages.empty());
    auto spec = with("strategy",
                     {{"name", "model_split"}, {"stages", 3}, {"micro_batches", 8}, {"schedule", "1f1b"}});
    CHECK_THAT(refusal(spec), Contains("$.strategy.stages: found 3") && Contains("each of the 1 nodes"));
    spec["nodes"] = 3;
    const auto parsed = parse_spec(spec);
    CHECK(parsed.strategy.stages == StagesSpec{.layers = {}, .count = 3});
    CHECK(parsed.strategy.micro_batches == 8);
    CHECK(parsed.strategy.schedule == PipelineSchedule::one_forward_one_backward);
    CHECK(parse_spec(to_json(parsed)) == parsed);
    spec["batch_size"] = 7;
    CHECK_THAT(refusal(spec),
               Contains("$.strategy.micro_batches: found 8") && Contains("each of the 7 examples"));
    spec["strategy"]["micro_batches"] = 7;
    spec["strategy"]["stages"] = {{"conv2d_1"}, {"flatten_1"}, {"dense_1"}};
    CHECK(parse_spec(spec).strategy.stages.layers.size() == 3);
    spec["strategy"]["schedule"] = "1b1f";
    CHECK_THAT(refusal(spec), Contains("$.strategy.schedule") && Contains("\"1f1b\""));
    spec["strategy"]["schedule"] = "zero_bubble";
    spec["strategy"]["stages"] = 2.5;
    CHECK_THAT(refusal(spec), Contains("$.strategy.stages: found 2.5"));
}

TEST_CASE("the nodes of filter_parallel share kernels by a rule or by weights") {
    CHECK(parse_spec(minimal).strategy.shares == SharesSpec{});
    auto spec = with("strategy", {{"name", "filter_parallel"}, {"shares", "published"}});
    CHECK(parse_spec(spec).strategy.shares == SharesSpec{SharesBy::published});
    spec["strategy"]["shares"] = {1, 0, 0.5};
    CHECK_THAT(refusal(spec),
               Contains("$.strategy.shares") && Contains("one weight for each of the 1 nodes"));
    spec["nodes"] = 3;
    spec["batch_size"] = 3;
    CHECK(parse_spec(spec).strategy.shares == SharesSpec{SharesBy::weights, {1.0, 0.0, 0.5}});
    spec["strategy"]["shares"] = {0, 1, 1};
    CHECK_THAT(refusal(spec), Contains("$.strategy.shares[0]: found 0") && Contains("the master"));
    spec["strategy"]["shares"] = "optimum";
    CHECK_THAT(refusal(spec), Contains("did you mean \"optimal\""));
    spec["strategy"].erase("shares");
    spec["nodes"] = 65;
    spec["batch_size"] = 65;
    CHECK_THAT(refusal(spec), Contains("$.strategy.name") && Contains("at most 64 nodes"));
}

TEST_CASE("the layers that hybrid cuts are different names") {
    CHECK(!parse_spec(minimal).strategy.cut_layers);
    auto spec = with("strategy", {{"name", "hybrid"}, {"cut_layers", {"dense_1", "dense_2"}}});
    CHECK(parse_spec(spec).strategy.cut_layers == std::vector<std::string>{"dense_1", "dense_2"});
    spec["strategy"]["cut_layers"] = {"dense_1", "dense_1"};
    CHECK_THAT(refusal(spec), Contains("$.strategy.cut_layers[1]") && Contains("each layer once"));
}

TEST_CASE("replicas of stages divide the nodes") {
    const auto with = [](std::int64_t nodes, std::int64_t stages, std::int64_t replicas) {
        auto spec = minimal;
        spec["nodes"] = nodes;
        spec["strategy"] = {{"name", "model_split"}, {"stages", stages}, {"replicas", replicas}};
        return spec;
    };
    CHECK(parse_spec(with(6, 2, 3)).strategy.replicas == 3);
    CHECK_THAT(refusal(with(5, 2, 3)), Contains("$.strategy.replicas: found 3") && Contains("divisor"));
    CHECK_THAT(refusal(with(6, 3, 3)),
               Contains("$.strategy.stages: found 3") && Contains("2 nodes of a replica"));
    auto pipelined = with(6, 2, 3);
    pipelined["batch_size"] = 12;
    pipelined["strategy"]["micro_batches"] = 5;
    CHECK_THAT(refusal(pipelined), Contains("the 4 examples of a replica"));
}
