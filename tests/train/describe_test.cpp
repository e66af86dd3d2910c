#include "train/describe.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "spec/parse.hpp"
#include "strategy/compile.hpp"
#include "train/memory_check.hpp"
#include "train/node_data.hpp"
#include "train/plan_json.hpp"

using namespace convoy;
using nlohmann::json;

namespace {

/// A network of two layers with parameters, trained with this strategy.
ExperimentSpec small_spec(const char* strategy, int nodes) {
    auto spec = json::parse(R"({
        "dataset": {"name": "synthetic_digits", "train_examples": 24, "test_examples": 8},
        "model": {"input": [1, 28, 28], "layers": [
            {"type": "conv2d", "filters": 4, "kernel": 5, "stride": 3, "activation": "relu"},
            {"type": "flatten"}, {"type": "dense", "units": 10, "activation": "softmax"}]},
        "batch_size": 6})");
    spec["strategy"] = json::parse(strategy);
    spec["nodes"] = nodes;
    return parse_spec(spec);
}

/// The ranks that save weights.
std::vector<std::int64_t> savers(const char* strategy, int nodes) {
    const auto spec = small_spec(strategy, nodes);
    return ranks_that_save(compile(spec, data_shape(spec, ""), hosts_of(spec)));
}

}  // namespace

TEST_CASE("node 0 saves the weights, unless nodes have layers of their own") {
    using Ranks = std::vector<std::int64_t>;
    CHECK(savers(R"({"name": "ring_allreduce"})", 3) == Ranks{0});
    CHECK(savers(R"({"name": "parameter_server", "servers": 2})", 2) == Ranks{0});
    CHECK(savers(R"({"name": "local_sgd"})", 2) == Ranks{0});
    CHECK(savers(R"({"name": "model_split", "stages": [["conv2d_1"], ["flatten_1", "dense_1"]]})", 2) ==
          Ranks{0, 1});
    CHECK(savers(R"({"name": "model_split", "stages": [["conv2d_1"], ["flatten_1"], ["dense_1"]]})", 3) ==
          Ranks{0, 2});
}

TEST_CASE("a plan tells which programs handle messages, and that bits are not the same each time") {
    const auto spec = small_spec(R"({"name": "parameter_server", "staleness": 2})", 3);
    const auto shape = data_shape(spec, "");
    const auto plan = compile(spec, shape, hosts_of(spec));
    const auto need = run_need(spec, shape, plan);
    const auto text = describe(spec, shape, plan, need);
    CHECK_THAT(text, Catch::Contains("when the whole message is there: update program"));
    CHECK_THAT(text, Catch::Contains("handles messages of ranks 0 to 2, each with programs alike, in the "
                                     "order of arrival; an answer waits while its rank is more than 2 steps "
                                     "ahead of the slowest"));
    CHECK_THAT(text, Catch::Contains("does not end with the same bits each time"));
    const auto server = plan_json(spec, shape, plan, need).at("node_classes").back();
    CHECK(server.at("most_ahead") == 2);
    REQUIRE(server.at("handlers").size() == 3);
    CHECK(server.at("handlers")[1] ==
          json{{"rank", 1}, {"receive", {4}}, {"update", {5}}, {"answer", {6}}, {"sent", {7}}});
    CHECK(server.at("programs").size() == 12);
}
