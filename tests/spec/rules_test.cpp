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

TEST_CASE("steps apart exclude what all workers compute together") {
    auto spec = nlohmann::json::parse(R"({"dataset": {"name": "mnist"}, "model": "mnist_cnn", "nodes": 2,
                                          "strategy": {"name": "parameter_server", "staleness": null}})");
    CHECK_FALSE(parse_spec(spec).strategy.staleness);
    CHECK(to_json(parse_spec(spec)).at("strategy").at("staleness").is_null());
    const auto refused = [&](const char* changes, const char* word) {
        auto other = spec;
        other.merge_patch(nlohmann::json::parse(changes));
        CHECK_THROWS_WITH(
            parse_spec(other),
            Catch::Contains("$.strategy.staleness: found null, expected 0 with") && Catch::Contains(word));
        other["strategy"]["staleness"] = 0;
        CHECK(parse_spec(other).strategy.staleness == 0);
    };
    refused(R"({"strategy": {"batch_norm_statistics": "synchronised"}})", "batch_norm_statistics");
    refused(R"({"strategy": {"overlap_forward": true}})", "overlap_forward");
    refused(R"({"gradient_clipping": {"by": "global_norm", "limit": 1}})", "gradient_clipping");
    spec["strategy"]["staleness"] = -1;
    CHECK_THROWS_WITH(parse_spec(spec), Catch::Contains("$.strategy.staleness: found -1"));
    spec["strategy"]["staleness"] = 2;
    spec["micro_batch_size"] = 4;
    CHECK_THROWS_WITH(parse_spec(spec), Catch::Contains("micro_batch_size"));
}

TEST_CASE("the usual staleness is no part of a run's identity") {
    auto spec = nlohmann::json::parse(R"({"dataset": {"name": "mnist"}, "model": "mnist_cnn", "nodes": 2,
                                          "strategy": {"name": "parameter_server"}})");
    const auto usual = run_id(parse_spec(spec));
    spec["strategy"]["staleness"] = 0;
    CHECK(run_id(parse_spec(spec)) == usual);
    spec["strategy"]["staleness"] = 2;
    const auto bounded = run_id(parse_spec(spec));
    spec["strategy"]["staleness"] = nullptr;
    CHECK(bounded != usual);
    CHECK(run_id(parse_spec(spec)) != usual);
    CHECK(run_id(parse_spec(spec)) != bounded);
}

TEST_CASE("the quantity of labels has a name that no column and no input has") {
    auto spec = nlohmann::json::parse(R"({"dataset": {"name": "npy", "images": "x.npy", "labels": "y.npy",
        "label_scale": {"quantity": "z", "first": 1, "width": 0.01}}, "model": "mnist_cnn"})");
    CHECK(parse_spec(spec).dataset.npy->label_scale->quantity == "z");
    for (const auto* taken : {"label", "labels", "predicted", "images"}) {
        spec["dataset"]["label_scale"]["quantity"] = taken;
        CHECK_THROWS_WITH(parse_spec(spec), Catch::Contains("$.dataset.label_scale.quantity: found \"") &&
                                                Catch::Contains("another name"));
    }
}
