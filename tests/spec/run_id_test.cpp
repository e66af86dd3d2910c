#include "spec/parse.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "spec/minimal.hpp"

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
    CHECK(run_id(parse_spec(with("checkpoints", {{"every_steps", 5}}))) != base);
    CHECK(run_id(parse_spec(with("gradient_clipping", nullptr))) == base);
    CHECK(run_id(parse_spec(with("strategy", {{"batch_norm_statistics", "per_node"}}))) == base);
    CHECK(run_id(parse_spec(with("strategy", {{"batch_norm_statistics", "synchronised"}}))) != base);
    CHECK(run_id(parse_spec(with("gradient_clipping", {{"limit", 1}}))) != base);
    CHECK(run_id(parse_spec(with("strategy", {{"top_k", {{"fraction", 0.5}}}}))) == base);
    const auto top_k = run_id(parse_spec(with("strategy", {{"wire_type", "top_k"}})));
    CHECK(top_k != base);
    CHECK(run_id(parse_spec(with("strategy", {{"wire_type", "top_k"}, {"top_k", {{"fraction", 0.01}}}}))) ==
          top_k);
    CHECK(run_id(parse_spec(with("strategy", {{"wire_type", "top_k"}, {"top_k", {{"fraction", 0.5}}}}))) !=
          top_k);
    CHECK(run_id(parse_spec(with("seed", 2))) != base);
    CHECK(run_id(parse_spec(with("cluster", json::object()))) != base);
    CHECK(run_id(parse_spec(with("input_pipeline", {{"interleave", nullptr}}))) == base);
    CHECK(run_id(parse_spec(with("input_pipeline", {{"interleave", {{"cycle_length", 2}}}}))) != base);
    CHECK(run_id(parse_spec(with("nodes", json::parse(R"([{"threads": 1}])")))) != base);
}
