#include "train/describe.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "spec/parse.hpp"
#include "strategy/compile.hpp"
#include "train/node_data.hpp"

using namespace convoy;
using nlohmann::json;

namespace {

/// The ranks that save weights where this strategy trains a network of two layers with parameters.
std::vector<std::int64_t> savers(const char* strategy, int nodes) {
    auto spec = json::parse(R"({
        "dataset": {"name": "synthetic_digits", "train_examples": 24, "test_examples": 8},
        "model": {"input": [1, 28, 28], "layers": [
            {"type": "conv2d", "filters": 4, "kernel": 5, "stride": 3, "activation": "relu"},
            {"type": "flatten"}, {"type": "dense", "units": 10, "activation": "softmax"}]},
        "batch_size": 6})");
    spec["strategy"] = json::parse(strategy);
    spec["nodes"] = nodes;
    const auto parsed = parse_spec(spec);
    return ranks_that_save(compile(parsed, data_shape(parsed, ""), hosts_of(parsed)));
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
