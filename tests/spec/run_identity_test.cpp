#include "spec/run_identity.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "spec/minimal.hpp"
#include "spec/parse.hpp"

using namespace convoy;
using namespace convoy::test;
using nlohmann::json;

TEST_CASE("the run's identity follows from what the spec means") {
    const auto base = run_id(parse_spec(minimal));
    CHECK(base.size() == 64);
    CHECK(run_id(parse_spec(to_json(parse_spec(minimal)))) == base);
    CHECK(run_id(parse_spec(with("nodes", json::parse("[{}]")))) == base);
    CHECK(run_id(parse_spec(with("optimizer", "adadelta"))) == base);
    CHECK(run_id(parse_spec(with("deadline_s", 30))) == base);
    CHECK(run_id(parse_spec(with("checkpoints", nullptr))) == base);
    CHECK(run_id(parse_spec(with("failures", "abort"))) == base);
    CHECK(run_id(parse_spec(with("failures", "restart"))) != base);
    CHECK(run_id(parse_spec(with("failures", "restart"))) ==
          run_id(parse_spec(with("failures", {{"policy", "restart"}}))));
    CHECK(run_id(parse_spec(with("checkpoints", {{"every_steps", 5}}))) != base);
    CHECK(run_id(parse_spec(with("gradient_clipping", nullptr))) == base);
    CHECK(run_id(parse_spec(with("strategy", {{"batch_norm_statistics", "per_node"}}))) == base);
    CHECK(run_id(parse_spec(with("strategy", {{"batch_norm_statistics", "synchronised"}}))) != base);
    CHECK(run_id(parse_spec(with("strategy", {{"balance", "equal"}}))) == base);
    CHECK(run_id(parse_spec(with("strategy", {{"balance", "speed"}}))) != base);
    CHECK(run_id(parse_spec(with("strategy", {{"micro_batches", 1}, {"schedule", "fill_drain"}}))) == base);
    CHECK(run_id(parse_spec(with("strategy", {{"micro_batches", 2}}))) != base);
    CHECK(run_id(parse_spec(with("strategy", {{"schedule", "1f1b"}}))) != base);
    CHECK(run_id(parse_spec(with("gradient_clipping", {{"limit", 1}}))) != base);
    CHECK(run_id(parse_spec(with("strategy", {{"top_k", {{"fraction", 0.5}}}}))) == base);
    const auto top_k = run_id(parse_spec(with("strategy", {{"wire_type", "top_k"}})));
    CHECK(top_k != base);
    CHECK(run_id(parse_spec(with("strategy", {{"wire_type", "top_k"}, {"top_k", {{"fraction", 0.01}}}}))) ==
          top_k);
    CHECK(run_id(parse_spec(with("strategy", {{"wire_type", "top_k"}, {"top_k", {{"fraction", 0.5}}}}))) !=
          top_k);
    CHECK(run_id(parse_spec(with("sharding", {{"alpha", 0.5}, {"shards_per_node", 3}}))) == base);
    const auto sharded = [](const char* scheme, const char* field, double value) {
        return run_id(parse_spec(with("sharding", {{"scheme", scheme}, {field, value}})));
    };
    CHECK(sharded("contiguous", "alpha", 1.0) != base);
    CHECK(sharded("contiguous", "alpha", 0.5) == sharded("contiguous", "shards_per_node", 3));
    CHECK(sharded("dirichlet", "alpha", 0.5) != sharded("dirichlet", "alpha", 1.0));
    CHECK(sharded("by_label", "shards_per_node", 3) != sharded("by_label", "shards_per_node", 2));
    CHECK(run_id(parse_spec(with("seed", 2))) != base);
    CHECK(run_id(parse_spec(with("cluster", json::object()))) != base);
    CHECK(run_id(parse_spec(with("input_pipeline", {{"interleave", nullptr}}))) == base);
    CHECK(run_id(parse_spec(with("input_pipeline", {{"interleave", {{"cycle_length", 2}}}}))) != base);
    CHECK(run_id(parse_spec(with("nodes", json::parse(R"([{"threads": 1}])")))) != base);
    const auto traced = [](const json& steps) {
        return run_id(parse_spec(with("measure", {{"trace_steps", steps}})));
    };
    CHECK(traced(nullptr) == base);
    CHECK(traced(20) == base);
    CHECK(traced(5) != base);
    CHECK(traced({{"count", 5}}) == traced(5));
    CHECK(traced({{"from", 50}}) != base);
    CHECK(traced({{"from", 50}, {"count", 20}}) == traced({{"from", 50}}));
}

TEST_CASE("what identifies a layer is what it was in older versions, unless it has a later field") {
    const auto of = [](const char* layer) {
        const json model{{"input", {1, 8, 8}}, {"layers", {json::parse(layer)}}};
        return identifying_json(parse_spec(with("model", model))).at("model").at("layers").at(0);
    };
    const json dense{{"type", "dense"}, {"name", "dense_1"},    {"inputs", json::array()},
                     {"units", 2},      {"activation", "relu"}, {"initializer", "he_normal"}};
    const json convolution{{"type", "conv2d"},   {"name", "conv2d_1"},   {"inputs", json::array()},
                           {"filters", 3},       {"kernel", 2},          {"stride", 1},
                           {"padding", "valid"}, {"activation", "none"}, {"initializer", "glorot_uniform"},
                           {"l2", 0.0}};
    CHECK(of(R"({"type": "dense", "units": 2, "activation": "relu", "initializer": "he_normal"})") == dense);
    CHECK(of(R"({"type": "dense", "units": 2, "l2": 0.5})").at("l2") == 0.5);
    CHECK(of(R"({"type": "conv2d", "filters": 3, "kernel": 2})") == convolution);
    CHECK(of(R"({"type": "conv2d", "filters": 3, "kernel": 2, "groups": 3})").at("groups") == 3);
    CHECK(of(R"({"type": "conv2d", "filters": 3, "kernel": 2, "bias": false})").at("bias") == false);
}

TEST_CASE("what identifies the steps of a trace is what it was in older versions") {
    const auto of = [](const json& steps) {
        return identifying_json(parse_spec(with("measure", {{"trace_steps", steps}}))).at("measure");
    };
    CHECK(of(nullptr) == json{{"sample_interval_s", 0.2}, {"trace_steps", 20}});
    CHECK(of(7).at("trace_steps") == 7);
    CHECK(of({{"from", 2}}).at("trace_steps") == json{{"from", 2}, {"count", 20}});
}

TEST_CASE("runs of one training have one training_id, whatever its distribution") {
    const auto id = [](const json& changes) {
        auto spec = json(minimal);
        spec.merge_patch(changes);
        return training_id(parse_spec(spec));
    };
    const auto base = id(json::object());
    CHECK(base.size() == 64);
    for (const auto& same :
         {json{{"nodes", 4}}, json{{"strategy", "parameter_server"}}, json{{"kernels", "xtensor"}},
          json{{"deadline_s", 5}}, json{{"name", "other"}}, json{{"checkpoints", {{"every_steps", 5}}}},
          json{{"failures", {{"policy", "restart"}, {"restarts", 9}}}},
          json{{"measure", {{"trace_steps", 0}}}}, json{{"nodes", 2}, {"cluster", json::object()}}})
        CHECK(id(same) == base);
    for (const auto& other : {json{{"seed", 2}}, json{{"batch_size", 64}}, json{{"optimizer", "adam"}},
                              json{{"strategy", "independent"}}, json{{"epochs", 7}}})
        CHECK(id(other) != base);
    for (const auto& kind :
         {json{{"strategy", "independent"}}, json{{"schedule", {{"scale_by_nodes", true}}}}}) {
        auto more_nodes = kind;
        more_nodes["nodes"] = 2;
        auto renamed = kind;
        renamed["name"] = "other";
        CHECK(id(more_nodes) != id(kind));
        CHECK(id(renamed) == id(kind));
    }
}

TEST_CASE("the distribution's identity has the number of nodes and the strategy") {
    const auto id = [](const char* key, const json& value) {
        return distribution_id(parse_spec(with(key, value)));
    };
    CHECK(id("deadline_s", 5) == id("seed", 2));
    CHECK(id("nodes", 2) != id("seed", 2));
    CHECK(id("strategy", "local_sgd") != id("seed", 2));
}

TEST_CASE("the calibration and the links decide which node has which kernels") {
    const auto id = [](const char* shares, double gflops, int mbit) {
        auto json_spec = with("strategy", {{"name", "filter_parallel"}, {"shares", shares}});
        json_spec["calibration"] = {
            {"format", 1}, {"hosts", 1}, {"nodes", {{{"threads", 1}, {"convolution_gflops", gflops}}}}};
        json_spec["cluster"] = {{"link_mbit", mbit}};
        return distribution_id(parse_spec(json_spec));
    };
    CHECK(id("published", 1.0, 100) != id("published", 2.0, 100));
    CHECK(id("published", 1.0, 100) == id("published", 1.0, 200));
    CHECK(id("optimal", 1.0, 100) != id("optimal", 1.0, 200));
}

TEST_CASE("the library of the kernels decides which node has which kernels, where convoy chooses") {
    const auto id = [](const nlohmann::json& shares, const char* kernels) {
        auto json_spec = with("strategy", {{"name", "filter_parallel"}, {"shares", shares}});
        json_spec["kernels"] = kernels;
        json_spec["calibration"] = {
            {"format", 1}, {"hosts", 1}, {"nodes", {{{"threads", 1}, {"convolution_gflops", 1.0}}}}};
        return distribution_id(parse_spec(json_spec));
    };
    CHECK(id("optimal", "onednn") != id("optimal", "xtensor"));
    CHECK(id({1}, "onednn") == id({1}, "xtensor"));
}

TEST_CASE("stages that convoy chooses follow from hosts, so another host is another cut") {
    const auto id = [](const nlohmann::json& stages, int memory_mb) {
        auto json_spec = with("strategy", {{"name", "model_split"}, {"stages", stages}});
        json_spec["cluster"] = {{"memory_mb", memory_mb}};
        return distribution_id(parse_spec(json_spec));
    };
    CHECK(id(1, 1000) != id(1, 2000));
}

TEST_CASE("a run of asynchronous workers is continued by as many asynchronous workers") {
    const auto id = [](const nlohmann::json& staleness, int nodes) {
        auto json_spec = with("strategy", {{"name", "parameter_server"}, {"staleness", staleness}});
        json_spec["nodes"] = nodes;
        return training_id(parse_spec(json_spec));
    };
    CHECK(id(0, 1) == id(0, 2));
    CHECK(id(2, 2) == id(nullptr, 2));
    CHECK(id(2, 2) != id(2, 1));
    CHECK(id(2, 2) != id(0, 2));
}

TEST_CASE("with shares by speed, the calibration decides which node trains on which examples") {
    const auto ids = [](const char* balance, double gflops) {
        auto json_spec = with("strategy", {{"name", "independent"}, {"balance", balance}});
        json_spec["calibration"] = {
            {"format", 1}, {"hosts", 1}, {"nodes", {{{"threads", 1}, {"matmul_gflops", gflops}}}}};
        const auto spec = parse_spec(json_spec);
        return std::pair(distribution_id(spec), training_id(spec));
    };
    CHECK(ids("equal", 1.0) == ids("equal", 2.0));
    CHECK(ids("speed", 1.0).first != ids("speed", 2.0).first);
    CHECK(ids("speed", 1.0).second != ids("speed", 2.0).second);
}
