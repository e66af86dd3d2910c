#include <signal.h>

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <random>

#include "base/files.hpp"
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

TEST_CASE("a sweep that is killed anywhere and resumed has the rows of one that was not", "[large]") {
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

TEST_CASE("the runs of a sweep can be trained by commands of their own, and collected", "[large]") {
    const TemporaryFolder folder;
    const auto file = write_sweep(folder);
    const auto whole = folder / "whole";
    REQUIRE(run_convoy(sweep_command(file, whole)).code == 0);
    const auto parts = folder / "parts";
    REQUIRE(run_convoy(sweep_command(file, parts, "--specs")).code == 0);
    CHECK(run_convoy(sweep_command(file, parts, "--specs")).code == 64);
    CHECK(run_convoy(sweep_command(file, folder / "none", "--collect")).code == 66);
    const auto specs = names_in(parts / "specs");
    REQUIRE(specs.size() == 4);
    std::size_t done = 0;
    for (const auto& name : specs) {
        const auto stem = fs::path(name).stem().string();
        REQUIRE(
            run_convoy({"run", (parts / "specs" / name).string(), "--out", (parts / "runs" / stem).string()})
                .code == 0);
        REQUIRE(run_convoy(sweep_command(file, parts, "--collect")).code == 0);
        std::size_t rows = 0;
        for (const auto& row : rows_of(parts / "runs.csv")) rows += row.at("state") == "done" ? 1 : 0;
        CHECK(rows == ++done);
    }
    CHECK(results_of(parts) == results_of(whole));
}

TEST_CASE("a sweep repeats settings until enough runs are undisturbed, but not for jobs of their own") {
    const TemporaryFolder folder;
    auto base = small_spec();
    base["batch_size"] = 4;
    base["epochs"] = 4;
    const json sweep{
        {"base", base}, {"grid", {{"seed", {1}}}}, {"undisturbed_repeats", 2}, {"most_repeats", 3}};
    const auto file = write_spec(folder, sweep, "sweep.json");
    const auto refused = run_convoy(sweep_command(file, folder / "jobs", "--specs"));
    CHECK(refused.code == 64);
    CHECK_THAT(refused.err, Contains("`undisturbed_repeats` decides after each repeat"));
    CHECK_FALSE(fs::exists(folder / "jobs"));
    const auto swept = run_convoy(sweep_command(file, folder / "out"));
    REQUIRE(swept.code == 0);
    const auto rows = rows_of(folder / "out" / "runs.csv");
    const auto undisturbed = std::ranges::count_if(
        rows, [](const json& row) { return !row.at("step_undisturbed_us").get<std::string>().empty(); });
    CAPTURE(swept.out, undisturbed);
    if (swept.out.find("undisturbed: seed=1: ") == std::string::npos) {
        CHECK(undisturbed >= 2);
    } else {  // the machine was busy
        CHECK(rows.size() == (undisturbed == 0 ? 2U : 3U));
    }
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
    CHECK_THAT(run_convoy({"compare", a, a}).out, Contains("the same spec, machine, build and data") &&
                                                      !Contains("one sweep ran after the other"));
    const auto run = fs::directory_iterator(folder / "a" / "runs")->path().string();
    CHECK(run_convoy({"compare", a, run}).code == 64);
    CHECK_THAT(run_convoy({"compare", run, run}).out, Contains("one run each"));

    // As if the run had been made with other threads on another host, in other processes, by a later version.
    const auto bound = folder / "bound";
    fs::copy(run, bound, fs::copy_options::recursive);
    auto environment = json_of(bound / "environment.json");
    auto& nodes = environment.at("nodes");
    nodes.at(1)["threads"] = 7;
    nodes.at(0)["host"] = "elsewhere";
    nodes.at(1)["pid"] = 1;
    for (int rank = 2; rank < 32; ++rank) {
        nodes.push_back(nodes.at(0));
        nodes.back()["rank"] = rank;
    }
    environment["versions"]["convoy"] = "9.9.9";
    folder.write("bound/environment.json", environment.dump());
    CHECK_THAT(run_convoy({"compare", run, bound.string()}).out,
               Contains("machine: 2 nodes in A, 32 nodes in B\n  machine: $.nodes.0.host: ") &&
                   Contains("in A, \"elsewhere\" in B\n  machine: $.nodes.1.threads: 1 in A, 7 in B\n") &&
                   Contains("9.9.9") && !Contains("pid") && !Contains("nodes.2"));
}

TEST_CASE("the repeats of two sweeps take turns, also if they are continued", "[large]") {
    const TemporaryFolder folder;
    const json sweep{{"name", "same"}, {"base", small_spec()}, {"repeats", 3}};
    const auto file = write_spec(folder, sweep, "same.json");
    const auto a = (folder / "a").string();
    const auto b = (folder / "b").string();
    const auto trained = run_convoy({"sweep", file, file, "--out", a, "--out", b});
    INFO(trained.err);
    CHECK(trained.code == 0);
    CHECK_THAT(trained.err, Contains("run 1 of 6, ") && Contains(a + ": repeat=0") &&
                                Contains(b + ": repeat=0") && Contains(a + ": repeat=2") &&
                                Contains(b + ": repeat=2"));
    CHECK_THAT(trained.out, Contains("written to " + a) && Contains("written to " + b));
    for (const auto& place : {a, b}) {
        const auto runs = fs::directory_iterator(fs::path(place) / "runs");
        CHECK(std::distance(fs::begin(runs), fs::end(runs)) == 3);
    }
    const auto again = run_convoy({"sweep", file, file, "--out", a, "--out", b, "--resume", "--json"});
    CHECK(again.code == 0);
    CHECK(json::parse(again.out).at("sweeps").at(1).at("runs").size() == 3);
    CHECK_THAT(run_convoy({"sweep", file, file, "--out", a, "--out", b, "--list"}).out, Contains(b + "\n"));
}

TEST_CASE("sweeps that are trained together have folders of their own") {
    const TemporaryFolder folder;
    const auto file = write_spec(folder, json{{"name", "same"}, {"base", small_spec()}}, "same.json");
    const auto one = run_convoy({"sweep", file, file, "--out", (folder / "a").string()});
    CHECK(one.code == 64);
    CHECK_THAT(one.err, Contains("--out: found 1, expected one for each sweep (2), or none"));
    const auto none = run_convoy({"sweep", file, file});
    CHECK(none.code == 64);
    CHECK_THAT(none.err, Contains("two sweeps have the folder"));
}

TEST_CASE("a sweep whose runs fail does not stop the other, and the command ends with its code") {
    const TemporaryFolder folder;
    auto wrong = small_spec();
    wrong["dataset"] = {
        {"name", "npy"}, {"images", "missing.npy"}, {"labels", "missing.npy"}, {"test_fraction", 0.2}};
    const auto good =
        write_spec(folder, json{{"name", "good"}, {"base", small_spec()}, {"repeats", 2}}, "good.json");
    const auto bad = write_spec(folder, json{{"name", "bad"}, {"base", wrong}, {"repeats", 2}}, "bad.json");
    const auto ended = run_convoy({"sweep", good, bad, "--out", (folder / "good").string(), "--out",
                                   (folder / "bad").string(), "--json"});
    INFO(ended.err);
    CHECK(ended.code == 66);
    const auto told = json::parse(ended.out);
    CHECK(told.at("sweeps").at(0).at("runs").at(1).at("state") == "done");
    CHECK(told.at("sweeps").at(1).at("runs").at(1).at("state") == "failed");
    CHECK_THAT(told.at("error").at("message").get<std::string>(), Contains("2 of 2 runs failed"));
}

TEST_CASE("a command that is refused for its second sweep leaves no folder of the first") {
    const TemporaryFolder folder;
    const auto file = write_spec(folder, json{{"name", "same"}, {"base", small_spec()}}, "same.json");
    fs::create_directory(folder / "b");
    const auto refused =
        run_convoy({"sweep", file, file, "--out", (folder / "a").string(), "--out", (folder / "b").string()});
    CHECK(refused.code == 64);
    CHECK_THAT(refused.err, Contains("b: exists already"));
    CHECK_FALSE(fs::exists(folder / "a"));
}

TEST_CASE("compare says where one sweep ran after the other", "[large]") {
    const TemporaryFolder folder;
    const auto file =
        write_spec(folder, json{{"name", "same"}, {"base", small_spec()}, {"repeats", 2}}, "same.json");
    const auto set_time = [](const fs::path& sweep, const std::string& time) {
        for (const auto& run : fs::directory_iterator(sweep / "runs")) {
            const auto place = run.path() / "environment.json";
            auto environment = json::parse(read_text(place));
            environment["date_utc"] = time;
            std::ofstream(place) << environment;
        }
    };
    const auto a = (folder / "a").string();
    const auto b = (folder / "b").string();
    REQUIRE(run_convoy({"sweep", file, file, "--out", a, "--out", b}).code == 0);
    constexpr auto note = "one sweep ran after the other";
    set_time(a, "2026-01-01T00:00:01Z");
    set_time(b, "2026-01-01T00:00:01Z");
    CHECK_THAT(run_convoy({"compare", a, b}).out, !Contains(note));
    set_time(b, "2026-01-01T00:00:02Z");
    CHECK_THAT(run_convoy({"compare", a, b}).out, Contains(note));
    CHECK_THAT(run_convoy({"compare", a, b, "--format", "csv"}).out, !Contains(note));
}
