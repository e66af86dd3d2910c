#include "bench/operator_bench.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "report/render.hpp"
#include "spec/parse.hpp"

using namespace convoy;
using nlohmann::json;

namespace {

json rows_of(const OperatorBench& bench) {
    return json::parse(to_json_text(bench_operators(bench, "nowhere").table)).at("rows");
}

json row_of(const json& rows, const std::string& name) {
    for (const auto& row : rows)
        if (row.at("operator") == name) return row;
    FAIL("no row of " << name);
    return {};
}

OperatorBench bench_of(const char* kernels) {
    auto spec = json::parse(R"({"dataset": {"name": "synthetic_digits"}, "batch_size": 8,
        "nodes": 3, "checkpoints": {"every_steps": 1}, "target": {"accuracy": 0.01},
        "model": {"input": [1, 28, 28], "layers": [
            {"type": "flatten"}, {"type": "dense", "units": 10, "activation": "softmax"}]}})");
    spec["kernels"] = {{"name", kernels}, {"fusion", false}};
    return {.spec = parse_spec(spec), .threads = 1, .steps = 4};
}

}  // namespace

TEST_CASE("products have their operations and their speed, what only moves elements has its time") {
    const auto rows = rows_of(bench_of(GENERATE("onednn", "xtensor")));
    const auto product = row_of(rows, "MatMul");
    // Forward and the weight's gradient, of 8 examples; the images' gradient is not wanted.
    CHECK(product.at("flops") == 2 * 2 * 8 * 784 * 10);
    const auto time_us = product.at("time_us").get<double>();
    const auto speed = product.at("gflop_per_s").get<double>();
    CHECK(time_us > 0.0);
    CHECK(speed == Approx(product.at("flops").get<double>() / time_us / 1e3));
    CHECK(product.at("of_peak_pct").get<double>() > 0.0);
    CHECK(product.at("calls") == 8);
    const auto bias = row_of(rows, "BiasAdd");
    CHECK(bias.at("calls") == 4);
    CHECK(bias.at("time_us").get<double>() > 0.0);
    CHECK(bias.at("flops").is_null());
    CHECK(bias.at("gflop_per_s").is_null());
}

TEST_CASE("where the data has fewer batches, fewer steps count") {
    auto bench = bench_of("onednn");
    bench.spec.batch_size = 5000;
    bench.steps = 50;
    const auto most = row_of(rows_of(bench), "BiasAdd").at("calls").get<int>();
    CHECK(most == 2);
}
