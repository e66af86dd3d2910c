#include "spec/rules.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "spec/parse.hpp"

using namespace convoy;

TEST_CASE("whole steps cannot be committed where a bucket is updated in the next step") {
    auto spec = nlohmann::json::parse(R"({"dataset": {"name": "mnist"}, "model": "mnist_cnn", "nodes": 2,
                                          "strategy": {"commit": "by_step"}})");
    CHECK(parse_spec(spec).strategy.commit == CommitPoint::by_step);
    spec["strategy"]["wire_type"] = "top_k";
    CHECK_THROWS_WITH(parse_spec(spec), Catch::Contains("$.strategy.commit") && Catch::Contains("top_k"));
    spec["strategy"]["wire_type"] = "float32";
    spec["strategy"]["overlap_forward"] = true;
    CHECK_THROWS_WITH(parse_spec(spec), Catch::Contains("$.strategy.commit") && Catch::Contains("by_bucket"));
}

TEST_CASE("parts are proportional to weights, and equal ones are contiguous") {
    auto spec = nlohmann::json::parse(R"({"dataset": {"name": "mnist"}, "model": "mnist_cnn", "nodes": 2,
                                          "sharding": {"scheme": "proportional"}})");
    CHECK_THROWS_WITH(parse_spec(spec), Catch::Contains("$.sharding.scheme: found \"proportional\"") &&
                                            Catch::Contains("$.strategy.balance"));
    spec["strategy"]["balance"] = "speed";
    CHECK(parse_spec(spec).sharding.scheme == ShardingScheme::proportional);
    spec["strategy"]["balance"] = "equal";
    spec["nodes"] = 1;
    CHECK(parse_spec(spec).sharding.scheme == ShardingScheme::proportional);
}

TEST_CASE("the usual commit point is no part of a run's identity") {
    auto spec = nlohmann::json::parse(R"({"dataset": {"name": "mnist"}, "model": "mnist_cnn", "nodes": 2})");
    const auto usual = run_id(parse_spec(spec));
    spec["strategy"]["commit"] = "by_bucket";
    CHECK(run_id(parse_spec(spec)) == usual);
    spec["strategy"]["commit"] = "by_step";
    CHECK(run_id(parse_spec(spec)) != usual);
}
