#include <algorithm>
#include <catch2/catch.hpp>
#include <regex>
#include <sstream>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

/// The times of a verbose command's lines, in seconds.
std::vector<double> times_of(const std::string& text) {
    static const std::regex timed(R"(convoy: \[ *([0-9.]+) s\] .+)");
    std::vector<double> times;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::smatch found;
        if (std::regex_match(line, found, timed)) times.push_back(std::stod(found[1]));
    }
    return times;
}

}  // namespace

TEST_CASE("a quiet run, sweep and evaluation tell where their results are, and nothing else") {
    const TemporaryFolder folder;
    const auto file = write_spec(folder, small_spec());
    const auto out = (folder / "out").string();
    const auto run = run_convoy({"run", file, "--out", out, "--quiet"});
    CHECK(run.code == 0);
    CHECK(run.err.empty());
    CHECK(run.out == "written to " + out + "\n");
    const auto again = run_convoy({"run", file, "--out", out, "--resume", "--quiet"});
    CHECK(again.code == 0);
    CHECK(again.err.empty());
    CHECK(again.out == run.out);
    const auto evaluated = run_convoy({"evaluate", out, "--quiet", "--threads", "1"});
    CHECK(evaluated.code == 0);
    CHECK(evaluated.err.empty());
    CHECK(evaluated.out == "predictions written to " + out + "/predictions.csv\n");
    const json sweep{{"name", "two"}, {"base", small_spec()}, {"grid", {{"batch_size", {24, 48}}}}};
    const auto swept = run_convoy(
        {"sweep", write_spec(folder, sweep, "sweep.json"), "--out", (folder / "sweep").string(), "--quiet"});
    CHECK(swept.code == 0);
    CHECK(swept.err.empty());
    CHECK(swept.out == "written to " + (folder / "sweep").string() + "\n");
}

TEST_CASE("a quiet run still tells its error, and --json its results") {
    const TemporaryFolder folder;
    const auto missing = run_convoy({"run", (folder / "none.json").string(), "--quiet"});
    CHECK(missing.code == 66);
    CHECK_THAT(missing.err, Contains("none.json"));
    const auto run = run_convoy(
        {"run", write_spec(folder, small_spec()), "--out", (folder / "out").string(), "--quiet", "--json"});
    CHECK(run.err.empty());
    CHECK(json::parse(run.out).at("status") == "done");
}

TEST_CASE("a verbose run tells each step of the launcher and of each node, with times that ascend") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["checkpoints"] = {{"every_steps", 1}};
    const auto run =
        run_convoy({"run", write_spec(folder, spec), "--out", (folder / "out").string(), "--verbose"});
    INFO(run.err);
    REQUIRE(run.code == 0);
    CHECK_THAT(run.out, Contains("written to "));
    CHECK_THAT(run.err, Contains("data folder: ") && Contains("plan of ") &&
                            Contains("started node 0 (pid ") && Contains("started node 1 (pid ") &&
                            Contains(") has joined") && Contains("gave node 1 its work: ") &&
                            Contains("node 1 trains epoch 1") &&
                            Contains("all nodes have sent their checkpoint of step 1") &&
                            Contains("the checkpoint is on disk") && Contains("weights of node 0: ") &&
                            Contains("the run folder is complete"));
    const auto times = times_of(run.err);
    CHECK(times.size() > 15);
    CHECK(std::ranges::is_sorted(times));
    const auto usual = run_convoy({"run", write_spec(folder, spec), "--out", (folder / "usual").string()});
    CHECK(times_of(usual.err).empty());
}

TEST_CASE("a command is quiet or verbose, and not both") {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"run", "x"},
                                                  {"sweep", "x", "--list"},
                                                  {"evaluate", "x"},
                                                  {"dataset", "list"},
                                                  {"calibrate", "x"}}) {
        auto both = words;
        both.insert(both.end(), {"--quiet", "--verbose"});
        const auto outcome = run_convoy(both);
        INFO(words.front());
        CHECK(outcome.code == 64);
        CHECK(outcome.err == "convoy: --quiet: goes without --verbose\n");
    }
}
