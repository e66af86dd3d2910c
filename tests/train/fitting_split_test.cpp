#include "train/fitting_split.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "spec/parse.hpp"

using namespace convoy;
using Catch::Matchers::Contains;

namespace {

/// Four dense layers of about a million weights each on so many nodes.
nlohmann::json dense_network(int nodes) {
    auto spec = nlohmann::json::parse(R"({
        "dataset": {"name": "synthetic_digits"}, "batch_size": 8, "optimizer": "sgd",
        "model": {"input": [1, 28, 28], "layers": [
            {"type": "flatten"}, {"type": "dense", "units": 1000}, {"type": "dense", "units": 1000},
            {"type": "dense", "units": 1000}, {"type": "dense", "units": 1000},
            {"type": "dense", "units": 10, "activation": "softmax"}]}})");
    spec["nodes"] = nodes;
    return spec;
}

DataShape digits() {
    return {.example = Shape{1, 28, 28},
            .classes = 10,
            .sizes = {.train = 64, .validation = 0, .test = 8},
            .example_bytes = 784};
}

/// Each node has so many bytes.
Fits nodes_of(std::int64_t bytes) {
    return [bytes](const RunNeed& need, const ExperimentSpec& /*spec*/) {
        return std::ranges::all_of(need.classes,
                                   [&](const RunNeed::Class& alike) { return alike.each.total() <= bytes; });
    };
}

std::optional<std::string> proposed(const nlohmann::json& json, std::int64_t bytes) {
    return fitting_split(parse_spec(json), digits(), nodes_of(bytes));
}

constexpr std::int64_t megabyte = 1'000'000;

}  // namespace

TEST_CASE("a network that does not fit is split into the fewest stages that fit, with replicas of them") {
    const auto spec = parse_spec(dense_network(4));
    const auto whole =
        run_need(spec, digits(), compile(spec, digits(), hosts_of(spec))).by_rank().at(0)->total();
    // Parameters, gradients and a copy of 3.8 million weights.
    CHECK(whole > 45 * megabyte);
    const auto two = proposed(dense_network(4), 40 * megabyte);
    REQUIRE(two);
    CHECK_THAT(*two, Contains(R"("strategy": {"name":"model_split","replicas":2,"stages":2})"));
    const auto four = proposed(dense_network(4), 25 * megabyte);
    REQUIRE(four);
    CHECK_THAT(*four, Contains(R"({"name":"model_split","stages":4})"));
    CHECK_FALSE(proposed(dense_network(4), 10 * megabyte));
    CHECK_FALSE(proposed(dense_network(1), 40 * megabyte));
}

TEST_CASE("no split is proposed that the rest of a spec excludes") {
    auto split = dense_network(2);
    split["strategy"] = {{"name", "model_split"}, {"stages", 2}};
    CHECK_FALSE(proposed(split, 40 * megabyte));
    auto shrinks = dense_network(2);
    shrinks["failures"] = "shrink";
    shrinks["strategy"] = {{"name", "ring_allreduce"}, {"commit", "by_step"}};
    CHECK(proposed(dense_network(2), 40 * megabyte));
    CHECK_FALSE(proposed(shrinks, 40 * megabyte));
}
