#include "report/batch_shares.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "example_run.hpp"
#include "report/overview.hpp"
#include "report/run_page.hpp"
#include "report/summary.hpp"

using namespace convoy;
using Catch::Contains;
using nlohmann::json;

namespace {

/// Node 0 computes 10 examples in 600 and 400 us, and node 1 computes 20.
RunResults unequal_run() {
    auto results = results_of(example_run());
    results.balance = BatchShares{.by = "speed",
                                  .shares = {10, 20},
                                  .equal_shares = {15, 15},
                                  .predicted_us = 400.0,
                                  .predicted_equal_us = 700.0};
    return results;
}

}  // namespace

TEST_CASE("what equal shares would have taken follows from the measured time of an example on each node") {
    const auto gain = shares_gain(unequal_run());
    REQUIRE(gain);
    CHECK(gain->step_us == 1250.0);
    CHECK(gain->compute_us == 500.0);
    CHECK(gain->equal_compute_us == 750.0);
    CHECK(gain->equal_step_us() == 1500.0);
    CHECK(
        shares_lines(unequal_run()) ==
        "shares of a batch by speed: 10, 20 examples (equal shares: 15, 15)\n"
        "measured: a step takes 1.25 ms, in which the slowest node computes 500 µs; with equal shares about "
        "1.5 ms and 750 µs (1.20 times as long), if each node took as long for an example\n"
        "predicted from the calibration: forward and backward take the slowest node 400 µs, and 700 µs with "
        "equal shares (1.75 times as long)\n");
}

TEST_CASE("steps on a smaller batch tell nothing, and neither do nodes without a whole one") {
    auto results = unequal_run();
    results.balance->shares = {10, 30};
    CHECK_FALSE(shares_gain(results));
    results.balance->predicted_us.reset();
    CHECK(shares_lines(results) == "shares of a batch by speed: 10, 30 examples (equal shares: 15, 15)\n");
    results.balance.reset();
    CHECK(shares_lines(results).empty());
    CHECK(shares_json(results).is_null());
}

TEST_CASE("the shares of many nodes are told by the least and the most") {
    BatchShares many{.by = "weights",
                     .shares = std::vector<std::int64_t>(20, 3),
                     .equal_shares = std::vector<std::int64_t>(20, 4)};
    many.shares[7] = 9;
    CHECK_THAT(shares_text(many), Contains("by weights: 3 to 9 examples"));
    CHECK(predicted_text(many).empty());
}

TEST_CASE("unequal shares are in summary.json and at the end of a run, and are read back") {
    const auto results = unequal_run();
    const auto summary = summary_json(results);
    CHECK(summary.at("balance") == json::parse(R"({
        "by": "speed", "shares": [10, 20], "equal_shares": [15, 15], "predicted_compute_us": 400.0,
        "predicted_equal_compute_us": 700.0, "compute_us": 500.0, "estimated_equal_compute_us": 750.0,
        "estimated_equal_step_us": 1500.0})"));
    RunResults back;
    read_summary_json(summary, "summary.json", back);
    CHECK(back.balance == results.balance);
    CHECK_THAT(overview_text(results, {}), Contains(shares_lines(results)));
    CHECK_THAT(run_page(results, "{}", "{}", {}), Contains("<p>shares of a batch"));
    CHECK_THAT(overview_markdown(results), Contains("shares of a batch by speed"));
    for (const auto* damage :
         {R"({"by": 1})", R"("x")", R"({"by": "speed", "shares": [1], "equal_shares": []})",
          R"({"by": "speed", "shares": [1e64], "equal_shares": [1], "predicted_compute_us": null,
              "predicted_equal_compute_us": null})"}) {
        auto damaged = summary;
        damaged["balance"] = json::parse(damage);
        CHECK_THROWS_AS(read_summary_json(damaged, "summary.json", back), DataError);
    }
}

TEST_CASE("a planned schedule is in summary.json and on the run's page, and is read back") {
    auto results = unequal_run();
    results.planned_pipeline = "Planned pipeline: 2 micro-batches\nstage 1   1 2\n";
    const auto summary = summary_json(results);
    CHECK(summary.at("planned_pipeline") == json{"Planned pipeline: 2 micro-batches", "stage 1   1 2"});
    RunResults back;
    read_summary_json(summary, "summary.json", back);
    CHECK(back.planned_pipeline == results.planned_pipeline);
    CHECK_THAT(run_page(results, "{}", "{}", {}), Contains("<pre>Planned pipeline: 2 micro-batches"));
    auto damaged = summary;
    for (const auto& damage : {json{1}, json("text"), json{{"a", "x"}}}) {
        damaged["planned_pipeline"] = damage;
        CHECK_THROWS_AS(read_summary_json(damaged, "summary.json", back), DataError);
    }
}
