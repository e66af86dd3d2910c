#include "sweep/sweep_tables.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "report/render.hpp"
#include "small_sweep.hpp"

using namespace convoy;
using namespace convoy::test;
using nlohmann::json;

namespace {

SweepEntry done(double accuracy, double step_us, const char* verdict = nullptr) {
    json summary{{"final", {{"test_accuracy", accuracy}}},
                 {"step_us", {{"p50", step_us}}},
                 {"memory", {{"peak_resident_bytes_per_node", {1e6, 3e6}}}},
                 {"cpu", {{"user_pct_per_node", {10.0, 20.0}}}}};
    if (verdict != nullptr) summary["measurement"] = {{"verdict", verdict}, {"others_cores", 0.25}};
    return {.state = RunState::done, .error = "", .code = 0, .summary = summary};
}

SweepEntry done_at(double examples_per_second) {
    return {.state = RunState::done,
            .error = "",
            .code = 0,
            .summary = {{"examples_per_second", {{"mean", examples_per_second}}}}};
}

const std::vector<SweepEntry> entries{done(0.9, 2000.0),
                                      {.state = RunState::failed, .error = "x", .code = 65, .summary = {}},
                                      done(0.7, 1000.0),
                                      {}};

std::string cell(const Table& table, std::size_t row, const std::string& key) {
    const auto rows = json::parse(to_json_text(table)).at("rows");
    const auto& value = rows.at(row).at(key);
    return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

TEST_CASE("the runs of a sweep are one tidy table") {
    const auto table = runs_table(small_sweep(), entries);
    REQUIRE(table.rows.size() == 4);
    CHECK(cell(table, 0, "batch_size") == "32");
    CHECK(cell(table, 0, "test_accuracy") == "0.9");
    CHECK(cell(table, 0, "step_p50_us") == "2000.0");
    CHECK(cell(table, 0, "peak_resident_bytes") == "3000000.0");
    CHECK(cell(table, 0, "cpu_user_pct") == "15.0");
    CHECK(cell(table, 1, "state") == "failed");
    CHECK(cell(table, 1, "test_accuracy") == "null");
    CHECK(cell(table, 2, "seed") == "2");
    CHECK(cell(table, 3, "state") == "pending");
}

TEST_CASE("scripts get each number of a setting in a cell of its own") {
    auto sweep = small_sweep();
    auto table = medians_data(sweep, entries);
    const auto rows = json::parse(to_json_text(table)).at("rows");
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].at("batch_size") == 32);
    CHECK(rows[0].at("runs") == 2);
    CHECK(rows[0].at("test_accuracy_median") == 0.8);
    CHECK(rows[0].at("test_accuracy_least") == 0.7);
    CHECK(rows[0].at("test_accuracy_greatest") == 0.9);
    CHECK(rows[0].at("step_p50_median_us") == 1500.0);
    CHECK(rows[1].at("runs") == 0);
    CHECK(rows[1].at("step_p50_median_us").is_null());
}

TEST_CASE("a setting that is an object has a column for each of its fields") {
    auto sweep = small_sweep();
    for (auto& run : sweep.runs)
        run.settings[0] = run.settings[0] == "32" ? R"({"name":"local_sgd","average_every":8})" : "local";
    const auto rows = json::parse(to_json_text(medians_data(sweep, entries))).at("rows");
    CHECK(rows[0].at("batch_size.name") == "local_sgd");
    CHECK(rows[0].at("batch_size.average_every") == 8);
    CHECK(rows[0].at("batch_size").is_null());
    CHECK(rows[1].at("batch_size") == "local");
}

TEST_CASE(
    "speed-up and efficiency stand beside the throughput where nodes vary, and their baseline is named") {
    auto sweep = small_sweep();
    sweep.axes[0].field = "nodes";
    for (auto& run : sweep.runs) run.settings[0] = run.settings[0] == "32" ? "2" : "4";
    const std::vector<SweepEntry> runs{done_at(100.0), done_at(150.0), done_at(300.0), {}};
    const auto medians = medians_table(sweep, runs);
    CHECK_THAT(medians.title, Catch::EndsWith("; speed-up and efficiency against 2 nodes"));
    CHECK(medians.columns[3].name == "examples_per_second");
    CHECK(medians.columns[4].name == "speedup");
    CHECK(cell(medians, 0, "speedup") == "1.00 [0.50, 1.50]");
    CHECK(cell(medians, 1, "speedup") == "0.75 [0.75, 0.75]");
    CHECK(cell(medians, 1, "efficiency_%") == "38 [38, 38]");

    const auto rows = json::parse(to_json_text(medians_data(sweep, runs))).at("rows");
    CHECK(rows[1].at("baseline_nodes") == 2);
    CHECK(rows[1].at("speedup_median") == 0.75);
    CHECK(rows[0].at("speedup_least") == 0.5);
    CHECK(rows[0].at("speedup_greatest") == 1.5);
    CHECK(rows[1].at("efficiency_median_pct") == 37.5);
    CHECK(medians_data(sweep, runs).columns.back().key() == "efficiency_greatest_pct");
}

TEST_CASE("without runs of the baseline there is no speed-up, and a reason") {
    auto sweep = small_sweep();
    sweep.axes[0].field = "nodes";
    for (auto& run : sweep.runs) run.settings[0] = run.settings[0] == "32" ? "1" : "4";
    const std::vector<SweepEntry> runs{{}, done_at(150.0), {}, {}};
    const auto rows = json::parse(to_json_text(medians_data(sweep, runs))).at("rows");
    CHECK(rows[1].at("speedup_median").is_null());
    CHECK(rows[1].at("speedup_median_reason") == "no run of 1 node with the same other settings is done");
    CHECK(rows[1].at("examples_per_second_median") == 150.0);
}

TEST_CASE("a sweep that does not vary nodes has no speed-up") {
    for (const auto& column : medians_data(small_sweep(), entries).columns)
        CHECK_THAT(column.name, !Catch::Contains("speedup") && !Catch::Contains("baseline"));
}

TEST_CASE("a setting's figures are medians with their spread") {
    const auto table = medians_table(small_sweep(), entries);
    REQUIRE(table.rows.size() == 2);
    CHECK(cell(table, 0, "runs") == "2");
    CHECK(cell(table, 0, "test_accuracy") == "0.8000 [0.7000, 0.9000]");
    CHECK(cell(table, 0, "step_p50_ms") == "1.50 [1.00, 2.00]");
    CHECK(cell(table, 1, "runs") == "0");
    CHECK(cell(table, 1, "test_accuracy") == "null");
}

TEST_CASE("a sweep is listed with how far it is") {
    const auto table = plan_table(small_sweep(), entries);
    CHECK(cell(table, 1, "batch_size") == "64");
    CHECK(cell(table, 1, "state") == "failed");
    CHECK(cell(table, 3, "repeat") == "1");
}

TEST_CASE("each run says whether it was quiet, and each setting how many of its runs were not") {
    const std::vector<SweepEntry> told{done(0.9, 2000.0, "noisy"), done(0.9, 2000.0, "quiet"),
                                       done(0.7, 1000.0, "invalid"), done(0.7, 1000.0)};
    const auto runs = runs_table(small_sweep(), told);
    CHECK(cell(runs, 0, "measurement") == "noisy");
    CHECK(cell(runs, 0, "others_cores") == "0.25");
    CHECK(cell(runs, 3, "measurement") == "null");
    CHECK(cell(runs, 3, "others_cores") == "null");
    CHECK(cell(runs, 0, "outlier") == "no");
    CHECK(cell(runs, 0, "retransmits") == "null");
    std::vector<std::string> newer;  // columns are only added
    for (auto column = runs.columns.end() - 6; column != runs.columns.end(); ++column)
        newer.push_back(column->key());
    CHECK(newer == std::vector<std::string>{"retransmits", "step_p05_us", "step_undisturbed_us",
                                            "slow_core_pct", "core_look_us", "undisturbed_pct"});
    const auto medians = medians_table(small_sweep(), told);
    CHECK(cell(medians, 0, "not_quiet") == "2");
    CHECK(cell(medians, 1, "not_quiet") == "0");
}

TEST_CASE("a sweep says how many of its runs are not quiet") {
    CHECK(measurement_line(entries).empty());
    CHECK(measurement_line(std::vector<SweepEntry>{done(0.9, 1.0, "quiet"), done(0.9, 1.0, "quiet")}) ==
          "measurement: all 2 runs are quiet\n");
    CHECK(measurement_line(std::vector<SweepEntry>{done(0.9, 1.0, "noisy"),
                                                   done(0.9, 1.0, "quiet"),
                                                   done(0.9, 1.0, "invalid"),
                                                   done(0.9, 1.0),
                                                   {}}) ==
          "measurement: 2 of 3 runs are not quiet (1 noisy, 1 invalid); 1 tell nothing; runs.csv says which, "
          "and `convoy report` of their folders why\n");
}
