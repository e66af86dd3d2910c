// Whatever ends a run, all that it had told is in a folder that is named, and can be completed.

#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include "small_experiment.hpp"
#include "support/without_call.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Blocks until the run's live table has so many epochs.
void wait_for_epochs(ConvoyProcess& run, const fs::path& partial, std::size_t epochs) {
    const auto table = partial / "epochs.csv";
    REQUIRE(run.wait_until([&] { return fs::exists(table) && rows_of(table).size() >= epochs; }));
}

/// Runs a spec for some epochs and kills the launcher.
void kill_after(const TemporaryFolder& folder, const std::string& spec, std::size_t epochs,
                const std::vector<std::string>& options = {}) {
    std::vector<std::string> words{"run", spec, "--out", (folder / "out").string()};
    words.insert(words.end(), options.begin(), options.end());
    // The table of a run before has epochs too. It keeps this second name when its folder gets another.
    const auto before = folder / "before.csv";
    std::error_code none;
    fs::remove(before, none);
    fs::create_hard_link(folder / "out.partial" / "epochs.csv", before, none);
    ConvoyProcess run(words);
    const auto is_new = [&] {
        std::error_code absent;
        return !fs::equivalent(folder / "out.partial" / "epochs.csv", before, absent);
    };
    REQUIRE(run.wait_until(is_new));
    wait_for_epochs(run, folder / "out.partial", epochs);
    run.signal(SIGKILL);
    REQUIRE(run.wait().code == -SIGKILL);
}

}  // namespace

TEST_CASE("a killed launcher leaves the tables of all epochs that were told") {
    const TemporaryFolder folder;
    const auto spec = write_spec(folder, long_spec());
    const auto out = (folder / "out").string();
    kill_after(folder, spec, 5);

    const auto tables = run_convoy({"report", "--partial", out, "--table", "epochs", "--format", "json"});
    INFO(tables.err);
    REQUIRE(tables.code == 0);
    const auto told = json::parse(tables.out);
    const auto refused = run_convoy({"run", spec, "--out", out});
    CHECK(refused.code == 64);
    CHECK_THAT(refused.err,
               Contains("convoy recover " + out + ".partial") && Contains("--out " + out + " --resume"));
    CHECK(std::ranges::count(refused.err, '\n') == 1);
    const auto other = run_convoy({"run", spec, "--out", out, "--resume", "--set", "seed=2"});
    CHECK(other.code == 64);
    CHECK_THAT(other.err, Contains("out.partial: holds run ") && Contains("and this spec is run "));

    const auto recovered = run_convoy({"recover", out + ".partial"});
    INFO(recovered.err);
    REQUIRE(recovered.code == 0);
    CHECK_FALSE(fs::exists(out + ".partial"));
    const auto summary = json_of(folder / "out" / "summary.json");
    CHECK(summary.at("status") == "interrupted");
    CHECK(summary.at("epochs").get<int>() >= 5);
    CHECK(summary.at("steps") == 10 * summary.at("epochs").get<int>());
    for (const auto& row : rows_of(folder / "out" / "steps.csv")) CHECK(row.contains("global_loss"));
    CHECK(run_convoy({"report", out}).code == 0);
    CHECK(run_convoy({"recover", out + ".partial"}).code == 66);
}

TEST_CASE("a table of a killed run that lacks rows comes with a warning") {
    const TemporaryFolder folder;
    const auto out = (folder / "out").string();
    kill_after(folder, write_spec(folder, long_spec()), 2);
    std::ofstream(folder / "out.partial" / "records" / "node-0.records", std::ios::app)
        << "these bytes are no frame";
    const auto shown = run_convoy({"report", "--partial", out});
    CHECK(shown.code == 0);
    const std::string line = "convoy: warning: " + out + ".partial: the journal of node 0 has no whole";
    CHECK(shown.err.find(line) != std::string::npos);
    CHECK(shown.err.find(line) == shown.err.rfind(line));
}

TEST_CASE("a run that is under way is reported, and no second run takes its folder") {
    const TemporaryFolder folder;
    const auto spec = write_spec(folder, long_spec());
    const auto out = (folder / "out").string();
    ConvoyProcess run({"run", spec, "--out", out});
    wait_for_epochs(run, folder / "out.partial", 3);
    const auto second = run_convoy({"run", spec, "--out", out});
    CHECK(second.code == 64);
    CHECK_THAT(second.err, Contains("another convoy process writes this run"));
    const auto early = run_convoy({"recover", out + ".partial"});
    CHECK(early.code == 64);
    CHECK(run_convoy({"report", "--partial", out}).code == 0);
}

TEST_CASE("a run that was killed before its first checkpoint begins again, and what it had is set aside",
          "[large]") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    const int epochs = is_sanitized ? 30 : 120;
    spec["epochs"] = epochs;
    if (GENERATE(true, false)) spec["checkpoints"] = {{"every_steps", 1000000}};
    const auto file = write_spec(folder, spec);
    const auto out = (folder / "out").string();
    kill_after(folder, file, 3, {"--resume"});
    CHECK_FALSE(fs::exists(out + ".before.partial"));
    kill_after(folder, file, 3, {"--resume"});
    CHECK(fs::exists(out + ".before.partial"));
    const auto again = run_convoy({"run", file, "--out", out, "--resume"});
    INFO(again.err);
    REQUIRE(again.code == 0);
    CHECK_THAT(again.err, Contains("convoy recover " + out + ".before-2.partial"));
    CHECK(rows_of(folder / "out" / "epochs.csv").size() == static_cast<std::size_t>(epochs));
    for (const std::string name : {"out.before", "out.before-2"}) {
        CHECK_FALSE(fs::exists(folder / (name + ".partial") / "records" / "weights.reserved"));
        REQUIRE(run_convoy({"recover", (folder / (name + ".partial")).string()}).code == 0);
        CHECK(rows_of(folder / name / "epochs.csv").size() >= 3);
    }
}

TEST_CASE("results that are too large for the disk stay, with the weights, and are completed later",
          "[large]") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["epochs"] = 2;
    const auto whole = run_spec(folder, spec, "whole");
    const auto file = write_spec(folder, spec);
    const auto out = (folder / "out").string();
    // The trace is larger than that, the weights are smaller.
    const auto most = fs::file_size(whole / "weights.safetensors") * 2;
    REQUIRE(fs::file_size(whole / "trace.json") > most);
    const auto failed = run_convoy({"run", file, "--out", out}, {.data = {}, .most_file_bytes = most});
    CHECK(failed.code == 73);
    CHECK_THAT(failed.err, Contains("File too large") && Contains(out + ".partial has the trained weights"));
    CHECK(sha256_of_weights(folder / "out.partial") == sha256_of_weights(whole));
    const bool by_resume = GENERATE(false, true);
    const auto completed = by_resume ? run_convoy({"run", file, "--out", out, "--resume"})
                                     : run_convoy({"recover", out + ".partial"});
    INFO(completed.err);
    REQUIRE(completed.code == 0);
    CHECK(json_of(folder / "out" / "summary.json").at("status") == "done");
    CHECK(sha256_of_weights(folder / "out") == sha256_of_weights(whole));
    CHECK(rows_of(folder / "out" / "steps.csv").size() == rows_of(whole / "steps.csv").size());
    CHECK_FALSE(fs::exists(out + ".partial"));
}

TEST_CASE("a run without room for its weights is refused at its start") {
    const TemporaryFolder folder;
    const auto outcome =
        run_convoy({"run", write_spec(folder, long_spec()), "--out", (folder / "out").string()},
                   {.data = {}, .most_file_bytes = 20000});
    CHECK(outcome.code == 73);
    CHECK_THAT(outcome.err, Contains("no room for the ") && Contains("bytes of the weights"));
    CHECK(folder.entries() == 1);
}

TEST_CASE("a name that somebody takes meanwhile costs no results") {
    const TemporaryFolder folder;
    const auto out = (folder / "out").string();
    auto spec = long_spec();
    ConvoyProcess run({"run", write_spec(folder, spec), "--out", out});
    wait_for_epochs(run, folder / "out.partial", 2);
    fs::create_directory(folder / "out");
    run.signal(SIGINT);
    const auto ended = run.wait();
    CHECK(ended.code == 73);
    CHECK_THAT(ended.err, Contains("was made by another program") && Contains("convoy recover"));
    CHECK(fs::is_empty(folder / "out"));
    const auto recovered = run_convoy({"recover", out + ".partial", "--out", (folder / "mine").string()});
    INFO(recovered.err);
    REQUIRE(recovered.code == 0);
    CHECK(fs::exists(folder / "mine" / "weights.safetensors"));
    CHECK(json_of(folder / "mine" / "summary.json").at("epochs").get<int>() >= 2);
}

TEST_CASE("any error while the folder is written names the folder that keeps the results") {
    const TemporaryFolder folder;
    const auto out = (folder / "out").string();
    ConvoyProcess run({"run", write_spec(folder, long_spec()), "--out", out});
    wait_for_epochs(run, folder / "out.partial", 2);
    std::fstream(folder / "out.partial" / "records" / "node-0.records", std::ios::in | std::ios::out) << "x";
    run.signal(SIGINT);
    const auto ended = run.wait();
    CHECK(ended.code == 65);
    CHECK_THAT(ended.err, Contains("node-0.records: is no journal of records") &&
                              Contains("`convoy recover " + out + ".partial [--out OUT]`"));
    CHECK(fs::exists(folder / "out.partial" / "weights.safetensors"));
}

TEST_CASE("runs and sweeps go on a file system without locks, with a warning") {
    const TemporaryFolder folder;
    const auto spec = write_spec(folder, small_spec());
    const json sweep{{"name", "one"}, {"base", small_spec()}};
    const auto sweep_file = write_spec(folder, sweep, "sweep.json");
    Outcome run;
    Outcome all;
    REQUIRE(without_locks(ENOLCK, [&] {
        run = run_convoy({"run", spec, "--out", (folder / "out").string()});
        all = run_convoy({"sweep", sweep_file, "--out", (folder / "all").string()});
    }));
    INFO(run.err << all.err);
    CHECK(run.code == 0);
    CHECK_THAT(run.err, Contains("out.partial: cannot be locked (No locks available)"));
    CHECK_THAT(json_of(folder / "out" / "environment.json").at("warnings").dump(),
               Contains("cannot be locked"));
    CHECK(all.code == 0);
    CHECK_THAT(all.err, Contains("all: cannot be locked (No locks available)"));
}
