#include "bench/operator_bench.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "bench/operator_timing.hpp"
#include "report/render.hpp"
#include "spec/parse.hpp"

using namespace convoy;
using nlohmann::json;

namespace {

json rows_of(const OperatorBench& bench) {
    return json::parse(to_json_text(bench_operators(bench, "nowhere").table)).at("rows");
}

json row_of(const json& rows, const std::string& name, const std::string& kind = "") {
    for (const auto& row : rows)
        if (row.at("operator") == name && (kind.empty() || row.at("kind") == kind)) return row;
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

TEST_CASE("operators have their operations, their speed and their traffic") {
    const auto rows = rows_of(bench_of(GENERATE("onednn", "xtensor")));
    // Of 8 examples; the images' gradient is not wanted.
    for (const auto* kind : {"matmul", "matmul_backprop_weight"}) {
        const auto product = row_of(rows, "MatMul", kind);
        CHECK(product.at("flops") == 2 * 8 * 784 * 10);
        const auto time_us = product.at("time_us").get<double>();
        const auto speed = product.at("gflop_per_s").get<double>();
        CHECK(time_us > 0.0);
        CHECK(speed == Approx(product.at("flops").get<double>() / time_us / 1e3));
        CHECK(product.at("of_peak_pct").get<double>() > 0.0);
        CHECK(product.at("gbyte_per_s").get<double>() ==
              Approx(4.0 * (8 * 784 + 784 * 10 + 8 * 10) / time_us / 1e3));
        CHECK(product.at("calls") == 4);
    }
    const auto bias = row_of(rows, "BiasAdd");
    CHECK(bias.at("calls") == 4);
    CHECK(bias.at("time_us").get<double>() > 0.0);
    CHECK(bias.at("flops") == 8 * 10);
    const auto batch = row_of(rows, "_CopyBatch");
    CHECK(batch.at("flops").is_null());
    CHECK(batch.at("gflop_per_s").is_null());
    CHECK(batch.at("gbyte_per_s").get<double>() > 0.0);
}

TEST_CASE("where the data has fewer batches, fewer steps count") {
    auto bench = bench_of("onednn");
    bench.spec.batch_size = 5000;
    bench.steps = 50;
    const auto most = row_of(rows_of(bench), "BiasAdd").at("calls").get<int>();
    CHECK(most == 2);
}

TEST_CASE("operators are measured for so long as is asked") {
    auto bench = bench_of("onednn");
    const auto calls = [&] {
        std::int64_t sum = 0;
        for (const auto& row : time_operators(bench, "nowhere").rows)
            if (row.kind == "fused_matmul" || row.kind == "matmul") sum += row.calls;
        return sum;
    };
    CHECK(calls() == 4);
    bench.least_time = Seconds(0.2);
    const auto began = Clock::now();
    CHECK(calls() > 4);
    CHECK(Clock::now() - began >= bench.least_time);
    const auto training = time_operators(bench, "nowhere").training;
    CHECK(training >= bench.least_time);
    CHECK(training <= Clock::now() - began);
}
