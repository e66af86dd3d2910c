#include "sweep/sweep_page.hpp"

#include <catch2/catch.hpp>

#include "small_sweep.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

TEST_CASE("a sweep's page says how far it is, and has the figure once there is one") {
    const auto sweep = small_sweep();
    std::vector<SweepEntry> entries(sweep.runs.size());
    CHECK_THAT(sweep_page(sweep, entries),
               Contains("<h1>small, 0 of 4 runs done</h1>") && !Contains("<figure>") && Contains("pending"));
    entries[0] = {
        .state = RunState::done, .error = "", .code = 0, .summary = {{"step_us", {{"p50", 2000.0}}}}};
    CHECK_THAT(sweep_page(sweep, entries),
               Contains("1 of 4 runs done") && Contains("<title>Step time by batch size</title>"));
}

TEST_CASE("rows lead to their own runs where later repeats are left out") {
    const nlohmann::json content{
        {"base", {{"name", "spare"}, {"dataset", {{"name", "synthetic_digits"}}}, {"model", "mnist_cnn"}}},
        {"grid", {{"batch_size", {32, 64}}}},
        {"precision", 0.5},
        {"most_repeats", 3}};
    const TemporaryFolder folder;
    const auto sweep = load_sweep(folder.write("sweep.json", content.dump()));
    REQUIRE(sweep.runs.size() == 6);
    std::vector<SweepEntry> entries(sweep.runs.size());
    entries.back().state = RunState::done;
    const auto page = sweep_page(sweep, entries);
    const auto& run_id = sweep.runs.back().run_id;
    CHECK_THAT(page, !Contains(sweep.runs[3].run_id));
    CHECK_THAT(page, Contains("<a href=\"runs/spare-" + run_id + "/report.html\">" + run_id + "</a>"));
}

TEST_CASE("a sweep's page leads to the pages of the runs that are done") {
    const auto sweep = small_sweep();
    std::vector<SweepEntry> entries(sweep.runs.size());
    entries[1].state = RunState::done;
    const auto page = sweep_page(sweep, entries);
    const auto& run_id = sweep.runs[1].run_id;
    CHECK_THAT(page, Contains("<a href=\"runs/small-" + run_id + "/report.html\">" + run_id + "</a>"));
    CHECK_THAT(page, Contains(sweep.runs[0].run_id) && !Contains(sweep.runs[0].run_id + "/report.html"));
}
