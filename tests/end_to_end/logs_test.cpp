#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "base/environment_variable.hpp"
#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

/// A run of two nodes, of which one is killed, and starts again.
Outcome run_with_logs(const TemporaryFolder& folder, const std::string& level) {
    auto spec = small_spec();
    spec["failures"] = "restart";
    spec["faults"] = json::array({{{"node", 1}, {"step", 5}, {"kind", "kill"}}});
    return run_convoy({"run", write_spec(folder, spec), "--out", (folder / "out").string(), "--log-dir",
                       (folder / "logs").string(), "--log-level", level});
}

}  // namespace

TEST_CASE("each node of a run and its launcher have a log") {
    const TemporaryFolder folder;
    const EnvironmentVariable line_of_nodes("OMP_DISPLAY_ENV", "true");  // to standard error
    const auto outcome = run_with_logs(folder, "debug");
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK_THAT(outcome.err, Contains("node 1: OPENMP DISPLAY ENVIRONMENT BEGIN\n"));
    const auto launcher = text_of(folder / "logs" / "launcher.log");
    CHECK_THAT(launcher,
               Contains("Z info the run begins; keeps the results in ") && Contains("out.partial\n"));
    CHECK_THAT(launcher, Contains("Z debug started node 0 (pid "));
    CHECK_THAT(launcher, Contains("Z info all nodes have agreed on their work\n"));
    CHECK_THAT(launcher, Contains("Z info fault kill of node 1 at step 5\n"));
    CHECK_THAT(launcher, Contains("Z error node 1 (pid ") && Contains(" was killed by signal 9"));
    CHECK_THAT(launcher,
               Contains("Z warning node 1 (pid ") && Contains("all nodes start again, from the beginning"));
    CHECK_THAT(launcher, Contains("out: done\n"));
    const auto node = text_of(folder / "logs" / "node-1.log");
    CHECK_THAT(node, Contains("Z warning OPENMP DISPLAY ENVIRONMENT BEGIN\n"));
    CHECK_THAT(node, Contains("Z warning fault of the spec: kill\n"));
    CHECK_THAT(node, Contains("Z error lost: node 1 (pid "));
    CHECK_THAT(node, Contains("Z info trains epoch 1\n"));
    CHECK_THAT(node, Contains("Z info evaluates after epoch 1; step 10, loss "));
    CHECK_THAT(text_of(folder / "logs" / "node-0.log"), !Contains("lost: ") && Contains("trains epoch 1\n"));
}

TEST_CASE("logs leave out lines that matter less than their level") {
    const TemporaryFolder folder;
    REQUIRE(run_with_logs(folder, "warning").code == 0);
    CHECK_THAT(text_of(folder / "logs" / "launcher.log"), !Contains("Z info ") && !Contains("Z debug ") &&
                                                              Contains("Z error ") && Contains("Z warning "));
    CHECK_FALSE(std::filesystem::exists(folder / "logs" / "node-0.log"));
}

TEST_CASE("the log of a run that fails has its error") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["faults"] = json::array({{{"node", 1}, {"step", 5}, {"kind", "kill"}}});
    CHECK(run_convoy({"run", write_spec(folder, spec), "--out", (folder / "out").string(), "--log-dir",
                      (folder / "logs").string()})
              .code == 74);
    CHECK_THAT(text_of(folder / "logs" / "launcher.log"), Contains("Z error node 1 (pid "));
}

TEST_CASE("logs that cannot be had end a run before its nodes start") {
    const TemporaryFolder folder;
    const auto spec = write_spec(folder, small_spec());
    std::ofstream(folder / "file") << "x";
    const auto check = [&](std::vector<std::string> words, int code, const std::string& line) {
        words.insert(words.begin(), {"run", spec, "--out", (folder / "out").string()});
        const auto outcome = run_convoy(words);
        CHECK(outcome.code == code);
        CHECK_THAT(outcome.err, Contains(line));
        CHECK_FALSE(std::filesystem::exists(folder / "out.partial"));
    };
    check({"--log-level", "info"}, 64, "--log-level: goes with --log-dir");
    check({"--log-dir", "x", "--log-level", "loud"}, 64,
          "--log-level: found \"loud\", expected error, warning, info or debug");
    check({"--log-dir", (folder / "file" / "logs").string()}, 73, "Not a directory");
}
