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
        results.nodes = 2;
        auto summary = summary_json(results);
        summary["measurement"] = run.summary["measurement"];
        run.summary = std::move(summary);
    }
    return sweep;
}

}  // namespace

TEST_CASE("runs that were started one by one, as by a cluster's jobs, have no drawn order") {
    auto sweep = with_summaries(settled_sweep_of(2, "w"));
    sweep.runs[1].environment["command"][1] = "run";
    CHECK_THAT(methods_markdown(sweep),
               Contains("for each setting. Each repeat had a seed of its own.") && !Contains("drawn order"));
    sweep.runs[1].environment.erase("command");
    CHECK_THAT(methods_markdown(sweep), !Contains("drawn order"));
}

TEST_CASE("the methods paragraph tells runs, build, machine, data, statistics and verdicts") {
    auto sweep = with_summaries(settled_sweep_of(2, "w"));
    CHECK("\n" + methods_markdown(sweep) == R"(
We ran the sweep small (0123456789ab): 2 settings of batch\_size (32, 64), 4 of 4 runs done, n = 2 for each setting. The settings of each repeat were trained in a drawn order, and each repeat had a seed of its own.
A run trained resnet\_v1 of depth 20 on mnist in batches of 32 or 64 examples for 12 epochs, with sgd (learning rate 0.1), by ring\_allreduce on 2 nodes.
All figures are measured by convoy 0.2.0 (commit abc123; g++ 12; Release; oneDNN 2.6.3).
The nodes ran on A & B with 4 cores (2 usable), 8.0 GB of memory and Linux 6. The nodes of a run were processes of one machine.
The data are (with the beginning of each SHA-256) mnist/x\_y.gz (0123456789abcdef…).
Figures are medians over the runs of a setting, with the least and the greatest value in brackets.
convoy judged the measurement of all 4 runs quiet.
)");
    CHECK_THAT(methods_latex(sweep),
               Contains("A \\& B with 4 cores") && Contains("batch\\_size (32, 64), 4 of 4"));
}

TEST_CASE("the rule by which settings are repeated is told behind the number of their runs") {
    auto sweep = with_summaries(settled_sweep_of(2, "w"));
    sweep.repetition_rule = "Rule.";
    CHECK_THAT(methods_markdown(sweep),
               Contains("n = 2 for each setting. Rule. The settings of each repeat"));
}

TEST_CASE("what the runs of a sweep do not have in common is told of each") {
    auto sweep = with_summaries(settled_sweep_of(2, "w"));
    sweep.runs.pop_back();
    sweep.runs[0].environment["build"]["commit"] = "def456";
    sweep.runs[1].environment["cpu"]["model"] = "C";
    sweep.runs[2].summary["measurement"]["verdict"] = "invalid";
    for (auto& run : sweep.runs) run.environment["data"] = nlohmann::json::array();
    sweep.runs[1].environment["nodes"][1]["host"] = "10.0.0.2";
    sweep.runs[0].spec["model"] = {{"layers", nlohmann::json::array()}};
    sweep.runs[2].spec["max_steps"] = 100;
    sweep.runs[2].spec["schedule"] = {{"name", "cosine"}};
    sweep.runs[2].summary["nodes"] = 1;
    const auto text = methods_markdown(sweep);
    CHECK_THAT(text, Contains("3 of 4 runs done, n = 1 to 2 for each setting"));
    CHECK_THAT(text, Contains("(commit def456; ") && Contains(", and by convoy 0.2.0 (commit abc123; "));
    CHECK_THAT(text, Contains("A & B with 4 cores") && Contains(", and C with 4 cores"));
    CHECK_THAT(text, Contains("The examples are drawn by convoy itself"));
    CHECK_THAT(text, Contains("The nodes of some runs were processes of one machine."));
    CHECK_THAT(
        text,
        Contains(
            "trained a network that its spec describes layer by layer or resnet\\_v1 of depth 20 on mnist"));
    CHECK_THAT(text, Contains("for 12 epochs or at most 12 epochs (at most 100 steps), with sgd (learning "
                              "rate 0.1) or sgd (learning rate 0.1, "
                              "schedule cosine), by ring\\_allreduce on 2 nodes or 1 node."));
}

TEST_CASE("the methods paragraph tells what limits the examples, and what may end a run early") {
    auto sweep = with_summaries(settled_sweep_of(1, "w"));
    sweep.runs.resize(1);
    auto& spec = sweep.runs[0].spec;
    spec["dataset"]["train_examples"] = 640;
    spec["dataset"]["validation_fraction"] = 0.0;
    spec["epochs"] = 1;
    spec["max_steps"] = 1;
    CHECK_THAT(methods_markdown(sweep), Contains("on mnist (640 training examples) in batches of"));
    CHECK_THAT(methods_markdown(sweep), Contains("for at most 1 epoch (at most 1 step), with sgd"));
    spec["dataset"]["validation_fraction"] = 0.1;
    spec["dataset"]["test_examples"] = 100;
    spec["epochs"] = 12;
    spec["max_steps"] = 90;
    spec["early_stopping"] = {{"patience", 3}};
    spec["target"] = {{"accuracy", 0.99}, {"split", "validation"}, {"stop", true}};
    CHECK_THAT(methods_markdown(sweep),
               Contains("on mnist (640 training examples; a share of 0.1 of the training examples for "
                        "validation; 100 test examples) in batches"));
    CHECK_THAT(methods_markdown(sweep),
               Contains("for at most 12 epochs (at most 90 steps; until validation accuracy 0.99; early "
                        "stopping after 3 epochs without a better validation loss), with sgd"));
    spec["max_steps"] = nullptr;
    spec["early_stopping"] = {{"patience", nullptr}};
    spec["target"]["stop"] = false;
    CHECK_THAT(methods_markdown(sweep), Contains("examples for 12 epochs, with sgd"));
}

TEST_CASE("the script of an archive stays on its lines, whatever a damaged environment says") {
    auto sweep = settled_sweep_of(1, "w");
    sweep.runs[0].environment["build"]["commit"] = "x\ntouch /pwned";
    const auto script = reproduce_script(sweep);
    CHECK_THAT(script, Catch::StartsWith("#!/bin/sh\n") && Contains("commit x\\ntouch /pwned.\n"));
    CHECK_THAT(script, Contains("reproduce \"$packed/archive.tar.gz\" \"$@\"\n"));
}
