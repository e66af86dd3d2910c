#include "paper/methods.hpp"

#include <catch2/catch.hpp>

#include "paper/archive_text.hpp"
#include "report/run_record.hpp"
#include "report/summary.hpp"
#include "settled_examples.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

namespace {

/// Summaries as runs write them.
SettledSweep with_summaries(SettledSweep sweep) {
    for (auto& run : sweep.runs) {
        RunResults results;
        results.name = sweep.name;
        results.run_id = run.run_id;
        results.batch_size = 32;
        auto summary = summary_json(results);
        summary["measurement"] = run.summary["measurement"];
        run.summary = std::move(summary);
    }
    return sweep;
}

}  // namespace

TEST_CASE("the methods paragraph tells runs, build, machine, data, statistics and verdicts") {
    auto sweep = with_summaries(settled_sweep_of(2, "w"));
    CHECK("\n" + methods_markdown(sweep) == R"(
We ran the sweep small (0123456789ab): 2 settings of batch\_size, 4 of 4 runs done, n = 2 for each setting. The settings of each repeat were trained in a drawn order, and each repeat had a seed of its own.
All figures are measured by convoy 0.2.0 (commit abc123; g++ 12; Release; oneDNN 2.6.3).
The nodes ran on A & B with 4 cores (2 usable), 8.0 GB of memory and Linux 6.
The data are (with the beginning of each SHA-256) mnist/x\_y.gz (0123456789abcdef…).
Figures are medians over the runs of a setting, with the least and the greatest value in brackets.
convoy judged the measurement of all 4 runs quiet.
)");
    CHECK_THAT(methods_latex(sweep), Contains("A \\& B with 4 cores") && Contains("batch\\_size, 4 of 4"));
}

TEST_CASE("what the runs of a sweep do not have in common is told of each") {
    auto sweep = with_summaries(settled_sweep_of(2, "w"));
    sweep.runs.pop_back();
    sweep.runs[0].environment["build"]["commit"] = "def456";
    sweep.runs[1].environment["cpu"]["model"] = "C";
    sweep.runs[2].summary["measurement"]["verdict"] = "invalid";
    for (auto& run : sweep.runs) run.environment["data"] = nlohmann::json::array();
    const auto text = methods_markdown(sweep);
    CHECK_THAT(text, Contains("3 of 4 runs done, n = 1 to 2 for each setting"));
    CHECK_THAT(text, Contains("(commit def456; ") && Contains(", and by convoy 0.2.0 (commit abc123; "));
    CHECK_THAT(text, Contains("A & B with 4 cores") && Contains(", and C with 4 cores"));
    CHECK_THAT(text, Contains("The examples are drawn by convoy itself"));
    CHECK_THAT(text, Contains("of 2 of 3 runs quiet, of 0 noisy and of 1 invalid.\n"));
}

TEST_CASE("the script of an archive stays on its lines, whatever a damaged environment says") {
    auto sweep = settled_sweep_of(1, "w");
    sweep.runs[0].environment["build"]["commit"] = "x\ntouch /pwned";
    const auto script = reproduce_script(sweep);
    CHECK_THAT(script, Catch::StartsWith("#!/bin/sh\n") && Contains("commit x\\ntouch /pwned.\n"));
    CHECK_THAT(script, Contains("reproduce \"$packed/archive.tar.gz\" \"$@\"\n"));
}
