// Nodes of unequal speeds, whose shares of a batch are unequal.

#include <catch2/catch.hpp>

#include "small_experiment.hpp"

using namespace convoy::test;
using Catch::Contains;
using nlohmann::json;

namespace {

/// Speeds of two nodes, of which the second is half as fast.
json calibration() {
    auto list = json::array();
    for (const double factor : {1.0, 0.5}) {
        json node{{"threads", 1}};
        for (const auto* speed : {"convolution_gflops", "filter_gradient_gflops", "input_gradient_gflops",
                                  "matmul_gflops", "elementwise_gb_s"})
            node[speed] = 10.0 * factor;
        list.push_back(node);
    }
    return {{"format", 1}, {"hosts", 1}, {"nodes", list}};
}

}  // namespace

TEST_CASE("by speed, each node takes its share of every batch, and plan and run tell the gain") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["measure"] = {{"trace_steps", 0}};
    const auto equal = run_spec(folder, spec, "equal");
    CHECK(json_of(equal / "summary.json").at("balance").is_null());
    spec["strategy"]["balance"] = "speed";
    const auto file = write_spec(folder, spec);
    const auto refused = run_convoy({"run", file});
    CHECK(refused.code == 65);
    CHECK_THAT(refused.err, Contains("$.strategy.balance") && Contains("convoy calibrate SPEC"));

    spec["calibration"] = calibration();
    const auto planned = run_convoy({"plan", write_spec(folder, spec)});
    CHECK_THAT(planned.out, Contains("shares of a batch by speed: 16, 8 examples (equal shares: 12, 12)") &&
                                Contains("equal shares (1.50 times as long)"));
    const auto run = run_spec(folder, spec, "balanced");
    for (const auto& row : rows_of(run / "steps.csv"))
        CHECK(row.at("examples") == (row.at("node") == "0" ? "16" : "8"));
    check_same_losses(losses_of(run), losses_of(equal), 10);
    const auto balance = json_of(run / "summary.json").at("balance");
    CHECK(balance.at("by") == "speed");
    CHECK(balance.at("shares") == json{16, 8});
    CHECK(balance.at("predicted_equal_compute_us").get<double>() ==
          Approx(1.5 * balance.at("predicted_compute_us").get<double>()));
    CHECK(balance.at("estimated_equal_step_us").get<double>() > 0.0);
    CHECK_THAT(run_convoy({"report", run.string()}).out,
               Contains("shares of a batch by speed: 16, 8") && Contains("measured: a step takes"));
    const auto content = json::parse(run_convoy({"plan", write_spec(folder, spec), "--json"}).out);
    CHECK(content.at("balance").at("shares") == json{16, 8});
}
