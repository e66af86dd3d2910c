#include <signal.h>

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <random>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Two settings, two repeats: four runs of part of a second.
std::string write_sweep(const TemporaryFolder& folder) {
    const json sweep{
        {"name", "four"}, {"base", small_spec()}, {"grid", {{"batch_size", {24, 48}}}}, {"repeats", 2}};
    return write_spec(folder, sweep, "sweep.json");
}

std::vector<std::string> sweep_command(const std::string& file, const fs::path& out,
                                       const std::string& more = "") {
    std::vector<std::string> words{"sweep", file, "--out", out.string()};
    if (!more.empty()) words.push_back(more);
    return words;
}

/// What of a sweep's rows does not depend on the clock, by run.
std::map<std::string, std::string> results_of(const fs::path& sweep) {
    std::map<std::string, std::string> results;
    for (const auto& row : rows_of(sweep / "runs.csv")) {
        auto& text = results[row.at("run_id")];
        for (const auto* column :
             {"batch_size", "repeat", "seed", "state", "train_loss", "test_loss", "test_accuracy"})
            text += row.at(column).get<std::string>() + " ";
    }
    return results;
}

}  // namespace

TEST_CASE("a sweep that is killed anywhere and resumed has the rows of one that was not") {
    const TemporaryFolder folder;
    const auto file = write_sweep(folder);
    REQUIRE(run_convoy(sweep_command(file, folder / "whole")).code == 0);
    const auto run = std::random_device{}() % 4 + 1;
    CAPTURE(run);
    {
        ConvoyProcess process(sweep_command(file, folder / "cut"));
        REQUIRE(process.wait_for_error_text(fmt::format("run {} of 4", run)));
        process.signal(SIGKILL);
        process.wait();
    }
    const auto resumed = run_convoy(sweep_command(file, folder / "cut", "--resume"));
    INFO(resumed.err);
    REQUIRE(resumed.code == 0);
    const auto whole = results_of(folder / "whole");
    CHECK(whole.size() == 4);
    CHECK(results_of(folder / "cut") == whole);
}

TEST_CASE("Ctrl-C ends a sweep with what is finished kept, and says how to go on") {
    const TemporaryFolder folder;
    auto base = small_spec();
    base["measure"] = {{"trace_steps", 0}};
    const json sweep{{"name", "long"}, {"base", base}, {"grid", {{"epochs", {1, 100000}}}}};
    ConvoyProcess process(sweep_command(write_spec(folder, sweep, "sweep.json"), folder / "out"));
    REQUIRE(process.wait_for_error_text("epoch 1/100000"));
    process.signal(SIGINT);
    const auto ended = process.wait();
    CHECK(ended.code == 130);
    CHECK_THAT(ended.err, Contains("--resume"));
    const auto rows = rows_of(folder / "out" / "runs.csv");
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].at("state") == "done");
    CHECK(rows[1].at("state") == "pending");
    CHECK_FALSE(rows[0].at("measurement").get<std::string>().empty());
    CHECK_THAT(ended.out, Contains("\nmeasurement: "));
}

TEST_CASE("what failed is run again only where that is asked for") {
    const TemporaryFolder folder;
    auto base = small_spec();
    base["early_stopping"] = {{"patience", 3}};
    const json sweep{
        {"name", "fails"}, {"base", base}, {"grid", {{"dataset.validation_fraction", {0.2, 0.0}}}}};
    const auto file = write_spec(folder, sweep, "sweep.json");
    const auto first = run_convoy(sweep_command(file, folder / "out"));
    CHECK(first.code == 65);
    // The order of the runs is drawn.
    CHECK_THAT(first.err, Contains(" failed: $.dataset.validation_fraction"));
    const auto resumed = run_convoy(sweep_command(file, folder / "out", "--resume"));
    CHECK_THAT(resumed.err, !Contains(" failed: $.dataset.validation_fraction"));
    const auto retried = run_convoy(sweep_command(file, folder / "out", "--retry-failed"));
    CHECK(retried.code == 65);
    CHECK_THAT(retried.err, Contains(" failed: $.dataset.validation_fraction") && !Contains("=0.2 repeat="));
}

TEST_CASE("a run whose summary is damaged is run again, and the damaged one is kept beside it") {
    const TemporaryFolder folder;
    const auto file = write_sweep(folder);
    const auto out = folder / "out";
    REQUIRE(run_convoy(sweep_command(file, out)).code == 0);
    const auto whole = results_of(out);
    const auto run = fs::directory_iterator(out / "runs")->path();
    std::ofstream(run / "summary.json") << "{";
    const auto partial = run_convoy({"report", "--partial", out.string(), "--table", "final"});
    CHECK(partial.code == 64);
    CHECK_THAT(partial.err, Contains("--partial: is for runs"));
    const auto refused = run_convoy({"report", out.string()});
    CHECK(refused.code == 65);
    CHECK_THAT(refused.err, Contains((run / "summary.json").string() + ": not JSON"));
    const auto listed = run_convoy(sweep_command(file, out, "--list"));
    CHECK(listed.code == 0);
    CHECK_THAT(listed.out, Contains("damaged"));
    const auto resumed = run_convoy(sweep_command(file, out, "--resume"));
    CHECK(resumed.code == 0);
    CHECK_THAT(resumed.err, Contains("warning: " + (run / "summary.json").string()) &&
                                Contains(run.string() + ".damaged now"));
    CHECK(text_of(run.string() + ".damaged/summary.json") == "{");
    CHECK(results_of(out) == whole);
}

TEST_CASE("two sweeps are compared setting by setting, and what differs is said first") {
    const TemporaryFolder folder;
    const json sweep{{"name", "two"}, {"base", small_spec()}, {"grid", {{"batch_size", {24, 48}}}}};
    auto other = sweep;
    other["base"]["optimizer"] = "adam";
    for (const auto& [name, content] : {std::pair("a", sweep), std::pair("b", other)}) {
        const auto file = write_spec(folder, content, std::string(name) + ".json");
        REQUIRE(run_convoy({"sweep", file, "--out", (folder / name).string()}).code == 0);
    }
    const auto a = (folder / "a").string();
    const auto compared = run_convoy({"compare", a, (folder / "b").string()});
    INFO(compared.err);
    CHECK(compared.code == 0);
    CHECK_THAT(compared.out, Contains("$.base.optimizer.name: \"adadelta\" in A, \"adam\" in B"));
    CHECK_THAT(compared.out, Contains("too few runs") && Contains("step_p50_us"));
    CHECK_THAT(run_convoy({"compare", a, a}).out, Contains("the same spec, machine, build and data"));
    const auto run = fs::directory_iterator(folder / "a" / "runs")->path().string();
    CHECK(run_convoy({"compare", a, run}).code == 64);
    CHECK_THAT(run_convoy({"compare", run, run}).out, Contains("one run each"));
}
