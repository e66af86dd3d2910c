#include "sweep/scaling.hpp"

#include <catch2/catch.hpp>

using namespace convoy;

namespace {

SweepRow run_at(const std::string& nodes, const std::string& strategy, double throughput) {
    SweepRow row{.settings = {nodes, strategy}, .run_id = "", .done = true};
    row.figures.emplace("examples_per_second", throughput);
    return row;
}

}  // namespace

TEST_CASE("the speed-up of a run is against the fewest nodes with the same other settings") {
    SweepRows sweep{.fields = {"nodes", "strategy"},
                    .rows = {run_at("4", "ring", 300), run_at("2", "ring", 100), run_at("2", "ring", 140),
                             run_at("2", "ring", 120), run_at("4", "server", 90), run_at("2", "server", 60),
                             run_at("3", "alone", 50)}};
    sweep.rows[1].not_quiet = true;
    const auto scaling = scaling_of(sweep);
    REQUIRE(scaling);
    CHECK(scaling->baseline() == "2 nodes");
    CHECK(scaling->speedups[0] == 2.5);  // against the median
    CHECK(scaling->speedups[3] == 1.0);
    CHECK(scaling->efficiency_pct(0) == 125.0);
    CHECK(scaling->speedups[4] == 1.5);
    CHECK(scaling->efficiency_pct(4) == 75.0);
    CHECK_FALSE(scaling->speedups[6]);
    CHECK_FALSE(scaling->efficiency_pct(6));
    CHECK(scaling->baseline_runs == 4);
    CHECK(scaling->not_quiet_baseline_runs == 1);
}

TEST_CASE("runs that are not done have no speed-up, and are no baseline, but their nodes count") {
    SweepRows sweep{.fields = {"nodes", "strategy"},
                    .rows = {run_at("1", "ring", 50), run_at("2", "ring", 100)}};
    sweep.rows[0].done = false;
    const auto scaling = scaling_of(sweep);
    REQUIRE(scaling);
    CHECK(scaling->baseline() == "1 node");
    CHECK_FALSE(scaling->speedups[0]);
    CHECK_FALSE(scaling->speedups[1]);
    sweep.rows[0] = run_at("1", "ring", 0);  // nothing can be compared with a throughput of 0
    CHECK_FALSE(scaling_of(sweep)->speedups[1]);
}

TEST_CASE("there is no speed-up where nodes do not vary or are no numbers") {
    CHECK_FALSE(scaling_of({.fields = {"nodes", "strategy"}, .rows = {}}));
    CHECK_FALSE(
        scaling_of({.fields = {"nodes", "strategy"}, .rows = {run_at("2", "a", 1), run_at("2", "b", 2)}}));
    CHECK_FALSE(
        scaling_of({.fields = {"nodes", "strategy"}, .rows = {run_at("2", "a", 1), run_at("[{}]", "a", 2)}}));
    CHECK_FALSE(
        scaling_of({.fields = {"nodes", "strategy"}, .rows = {run_at("2", "a", 1), run_at("0", "a", 2)}}));
    CHECK_FALSE(
        scaling_of({.fields = {"hosts", "strategy"}, .rows = {run_at("2", "a", 1), run_at("1", "a", 2)}}));
}
