#include "paper/reproduction.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "report/render.hpp"
#include "settled_examples.hpp"

using namespace convoy;
using namespace convoy::test;
using nlohmann::json;

namespace {

json row_of(const Reproduction& reproduction, std::size_t row) {
    return json::parse(to_json_text(reproduction.table)).at("rows").at(row);
}

/// The runs of a setting, changed.
SettledSweep changed(SettledSweep sweep, const std::string& setting, const auto& change) {
    for (auto& run : sweep.runs)
        if (run.settings.front() == setting) change(run);
    return sweep;
}

}  // namespace

TEST_CASE("runs with the published weights have the same bits, however long they took") {
    const auto published = settled_sweep_of(1, "w");
    const auto slow = changed(published, "64", [](SettledRun& run) { run.summary["step_us"]["p50"] = 9e9; });
    const auto found = reproduction_of(published, slow);
    CHECK(found.same);
    REQUIRE(found.table.rows.size() == 2);
    CHECK(row_of(found, 0).at("result") == "same bits");
    CHECK(row_of(found, 0).at("differs") == "");
    CHECK(row_of(found, 0).at("same_weights") == 1);
    CHECK(row_of(found, 1).at("result") == "same bits");
    CHECK(row_of(found, 1).at("step_time_ratio") == 9e6);
}

TEST_CASE("other weights whose figures show no difference are the same within noise") {
    const auto found = reproduction_of(settled_sweep_of(6, "w"), settled_sweep_of(6, "v"));
    CHECK(found.same);
    CHECK(row_of(found, 0).at("result") == "same within noise");
    CHECK(row_of(found, 0).at("same_weights") == 0);
    CHECK(row_of(found, 0).at("step_time") == "no difference seen");
}

TEST_CASE("a setting of which one run has other weights has not the same bits") {
    auto again = settled_sweep_of(6, "w");
    again.runs[4].weights_sha256 = "v";
    const auto found = reproduction_of(settled_sweep_of(6, "w"), again);
    CHECK(row_of(found, 0).at("result") == "same within noise");
    CHECK(row_of(found, 0).at("same_weights") == 5);
    CHECK(row_of(found, 1).at("result") == "same bits");
}

TEST_CASE("what differs is named in its order, data first") {
    const auto again = changed(settled_sweep_of(6, "v"), "64", [](SettledRun& run) {
        run.environment["data"][0]["sha256"] = "ffff";
        run.environment["build"]["commit"] = "def456";
        run.environment["cpu"]["model"] = "C";
        run.summary["step_us"]["p50"] = run.summary["step_us"]["p50"].get<double>() * 1.5;
        run.summary["final"]["test_accuracy"] = 0.5 + 0.001 * static_cast<double>(run.repeat);
    });
    const auto found = reproduction_of(settled_sweep_of(6, "w"), again);
    CHECK_FALSE(found.same);
    CHECK(row_of(found, 0).at("result") == "same within noise");
    CHECK(row_of(found, 1).at("result") == "different");
    CHECK(row_of(found, 1).at("differs") == "data, commit, machine, step time, accuracy");
    CHECK(row_of(found, 1).at("step_time_ratio").get<double>() == Approx(1.5).epsilon(0.01));
}

TEST_CASE("an accuracy that is worse is a difference, whatever the step time") {
    const auto again = changed(settled_sweep_of(6, "v"), "32", [](SettledRun& run) {
        run.summary["final"]["test_accuracy"] = 0.5 + 0.001 * static_cast<double>(run.repeat);
    });
    const auto found = reproduction_of(settled_sweep_of(6, "w"), again);
    CHECK(row_of(found, 0).at("result") == "different");
    CHECK(row_of(found, 0).at("differs") == "accuracy");
}

TEST_CASE("a few runs that lie apart show nothing, and are not called the same") {
    const auto again = changed(settled_sweep_of(2, "v"), "64",
                               [](SettledRun& run) { run.summary["step_us"]["p50"] = 5000.0; });
    const auto found = reproduction_of(settled_sweep_of(2, "w"), again);
    CHECK_FALSE(found.same);
    CHECK(row_of(found, 0).at("result") == "same within noise");
    CHECK(row_of(found, 1).at("result") == "too few runs");
}

TEST_CASE("a setting whose runs failed was not reproduced") {
    auto again = settled_sweep_of(2, "w");
    again.runs.pop_back();
    const auto found = reproduction_of(settled_sweep_of(2, "w"), again);
    CHECK_FALSE(found.same);
    CHECK(row_of(found, 0).at("result") == "same bits");
    CHECK(row_of(found, 1).at("result") == "not run");
    CHECK(row_of(found, 1).at("run_again") == 1);
}

TEST_CASE("a sweep that repeats until it is precise may stop elsewhere than it did before") {
    auto published = settled_sweep_of(7, "w");
    published.repeats = 6;
    auto again = published;
    again.runs.pop_back();  // the last repeat of one setting
    CHECK(reproduction_of(published, again).same);
    CHECK(row_of(reproduction_of(published, again), 1).at("result") == "same bits");
    CHECK(row_of(reproduction_of(published, again), 1).at("run_again") == 6);
    CHECK(reproduction_of(again, published).same);
    again.runs.clear();
    published.repeats = 0;
    CHECK(row_of(reproduction_of(published, again), 1).at("result") == "not run");
}

TEST_CASE("the path of a data file does not count, and sweeps over other fields are refused") {
    auto again = settled_sweep_of(1, "w");
    for (auto& run : again.runs) run.environment["data"][0]["file"] = "/elsewhere/x.gz";
    CHECK(row_of(reproduction_of(settled_sweep_of(1, "w"), again), 0).at("differs") == "");
    again.fields = {"nodes"};
    CHECK_THROWS_AS(reproduction_of(settled_sweep_of(1, "w"), again), DataError);
}

TEST_CASE("an environment that an old or odd archive has is compared as far as it goes") {
    auto again = settled_sweep_of(1, "w");
    for (auto& run : again.runs) run.environment = json::object();
    CHECK(row_of(reproduction_of(settled_sweep_of(1, "w"), again), 0).at("differs") ==
          "data, version, commit, build options, machine");
    for (auto& run : again.runs) run.environment = {{"data", {1, "x"}}, {"build", "x"}, {"cpu", nullptr}};
    CHECK_NOTHROW(reproduction_of(settled_sweep_of(1, "w"), again));
}
