#include "spec/rules.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "spec/parse.hpp"
#include "spec/run_identity.hpp"

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

TEST_CASE("MPI sums plain floats of nodes that sum all gradients together, and that end together") {
    const auto base = nlohmann::json::parse(R"({"dataset": {"name": "mnist"}, "model": "mnist_cnn",
        "nodes": 2, "strategy": {"algorithm": "mpi"}})");
    CHECK(parse_spec(base).strategy.algorithm == AllReduceAlgorithm::mpi);
    // Workers get the spec as JSON.
    CHECK(parse_spec(to_json(parse_spec(base))) == parse_spec(base));
    const auto refusal = [&](const char* pointer, const nlohmann::json& value) {
        auto spec = base;
        spec[nlohmann::json::json_pointer(pointer)] = value;
        try {
            parse_spec(spec);
        } catch (const std::exception& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    constexpr auto refused = "$.strategy.algorithm: found \"mpi\", expected another algorithm with ";
    const auto with = [&](const std::string& what) { return Catch::Contains(refused + what); };
    CHECK_THAT(refusal("/strategy/name", "local_sgd"), with("the strategy \"local_sgd\""));
    CHECK_THAT(refusal("/strategy/name", "parameter_server"), with("the strategy \"parameter_server\""));
    CHECK_THAT(refusal("/strategy/name", "hybrid"), with("the strategy \"hybrid\""));
    CHECK_THAT(refusal("/strategy/wire_type", "bfloat16"), with("the wire type \"bfloat16\""));
    CHECK_THAT(refusal("/strategy/wire_type", "top_k"), with("the wire type \"top_k\""));
    CHECK_THAT(refusal("/micro_batch_size", 16), with("$.micro_batch_size"));
    CHECK_THAT(refusal("/failures", "restart"), with("the policy \"restart\""));
    CHECK_THAT(refusal("/cluster", nlohmann::json::object()), with("$.cluster"));
    CHECK_THAT(refusal("/faults", {{{"node", 1}, {"step", 3}, {"kind", "drop_link"}}}), with("the fault"));
    CHECK(refusal("/faults", {{{"node", 1}, {"step", 3}, {"kind", "kill"}}}) == "none");
    CHECK(refusal("/strategy/overlap_forward", true) == "none");
}

TEST_CASE("a calibration has no sums by MPI, which convoy does not measure") {
    auto spec = nlohmann::json::parse(R"({"dataset": {"name": "mnist"}, "model": "mnist_cnn", "nodes": 2,
        "strategy": {"calibration": {"nodes": 2, "ranges": [], "beyond": "mpi"}}})");
    CHECK_THROWS_WITH(parse_spec(spec), Catch::Contains("$.strategy.calibration.beyond: found \"mpi\""));
}
