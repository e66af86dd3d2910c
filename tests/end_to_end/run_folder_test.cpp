#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;

TEST_CASE("a run leaves its folder, which report and evaluate read", "[large]") {
    const TemporaryFolder folder;
    const auto run = run_spec(folder, small_spec(), "out");
    for (const auto* name : {"spec.json", "environment.json", "summary.json", "operators.csv", "steps.csv",
                             "epochs.csv", "system.csv", "label_histogram.csv", "trace.json", "report.md",
                             "report.html", "weights.safetensors"}) {
        INFO(name);
        CHECK(std::filesystem::exists(run / name));
    }

    SECTION("summary.json holds what scripts rely on") {
        const auto summary = json_of(run / "summary.json");
        for (const auto* key :
             {"name", "run_id", "status", "nodes", "batch_size", "steps", "epochs", "final", "phases_s",
              "step_us", "examples_per_second", "communication", "memory", "cpu"}) {
            INFO(key);
            CHECK(summary.contains(key));
        }
        CHECK(summary.at("steps") == 10);
        CHECK(summary.at("data").at("wait_us").get<double>() > 0.0);
        CHECK(summary.at("status") == "done");
        // Which verdict depends on the machine.
        CHECK_THAT(summary.at("measurement").at("verdict").get<std::string>(),
                   Catch::Matchers::Matches("quiet|noisy|invalid"));
        CHECK_THAT(text_of(run / "report.md"), Contains("measurement: "));
        for (const auto& node : summary.at("per_node")) {
            const auto& seen = node.at("contention");
            CHECK(seen.at("elapsed_s").get<double>() > 0.0);
            CHECK(seen.at("cpu_s").get<double>() > 0.0);
            CHECK(seen.at("starter_cpu_s").is_number());  // of the launcher
        }
    }
    SECTION("the times of a node's operators add up to its steps") {
        double operators = 0.0;
        for (const auto& row : rows_of(run / "operators.csv")) {
            const auto total = row.value("total_us", "");
            if (row.at("node") == "0" && row.at("phase") == "train" && !total.empty())
                operators += std::stod(total);
        }
        double steps = 0.0;
        for (const auto& row : rows_of(run / "steps.csv")) {
            if (row.at("node") == "0") steps += std::stod(row.at("step_us").get<std::string>());
        }
        CHECK(operators <= steps);
        CHECK(operators >= 0.5 * steps);
    }
    SECTION("each step has the newest look at its node's core, and the summary what they show") {
        double quickest = 1e300;
        for (const auto& row : rows_of(run / "steps.csv"))
            quickest = std::min(quickest, std::stod(row.at("core_look_us").get<std::string>()));
        CHECK(quickest > 0.0);
        const auto summary = json_of(run / "summary.json");
        CHECK(summary.at("measurement").at("core_look_us").get<double>() >= quickest);
        CHECK(summary.at("measurement").at("slow_core_pct").is_number());
        CHECK(summary.at("step_us").at("undisturbed").is_null());  // of so few steps
        CHECK(summary.at("step_us").at("undisturbed_reason") == "too few steps were undisturbed");
    }
    SECTION("a fused kernel names what was folded into it") {
        std::set<std::string> folded;
        for (const auto& row : rows_of(run / "operators.csv")) {
            if (row.value("folded_into", "") == "_FusedConv2D")
                folded.insert(row.at("operator").get<std::string>());
        }
        CHECK(folded == std::set<std::string>{"Conv2D", "BiasAdd", "Relu"});
    }
    SECTION("report prints every table in every format") {
        for (const auto* table : {"operators", "phases", "epochs", "system"}) {
            for (const auto* format : {"text", "csv", "markdown", "json", "latex"}) {
                const auto outcome =
                    run_convoy({"report", run.string(), "--table", table, "--format", format});
                INFO(table << " as " << format << ": " << outcome.err);
                CHECK(outcome.code == 0);
                CHECK(!outcome.out.empty());
                if (std::string(format) == "json") CHECK_NOTHROW(json::parse(outcome.out));
            }
        }
    }
    SECTION("evaluate repeats the run's own test accuracy") {
        const auto outcome = run_convoy({"evaluate", "--threads", "1", run.string()});
        INFO(outcome.err);
        REQUIRE(outcome.code == 0);
        CHECK_THAT(outcome.out, Contains("Accuracy per class") && Contains("Confusion"));
        const auto latex = run_convoy({"evaluate", "--threads", "1", run.string(), "--format", "latex"});
        CHECK_THAT(latex.out, Contains("\\label{tab:confusion}") && !Contains("written to"));
        CHECK(run_convoy({"evaluate", run.string(), "--format", "csv"}).code == 64);
        const auto rows = rows_of(run / "predictions.csv");
        REQUIRE(rows.size() == 50);
        double correct = 0.0;
        for (const auto& row : rows) correct += row.at("label") == row.at("predicted") ? 1.0 : 0.0;
        CHECK(json_of(run / "summary.json").at("final").at("test_accuracy").get<double>() ==
              Approx(correct / 50));
    }
}

TEST_CASE("a run that looked at its validation split can be evaluated") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["dataset"]["validation_fraction"] = 0.2;
    spec["early_stopping"] = {{"patience", 3}};
    spec["target"] = {{"accuracy", 1.0}, {"split", "validation"}};
    const auto run = run_spec(folder, spec, "out");
    const auto outcome = run_convoy({"evaluate", "--threads", "1", run.string()});
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(rows_of(run / "predictions.csv").size() == 50);
}

TEST_CASE("a network's L2 penalty has its column, the same on every node") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["dataset"]["train_examples"] = 121;  // the last batch leaves node 1 without an example
    spec["model"]["layers"][0]["l2"] = 0.01;
    std::map<std::string, std::set<std::string>> by_step;
    for (const auto& row : rows_of(run_spec(folder, spec, "out") / "steps.csv"))
        if (row.at("examples") != "0") by_step[row.at("step")].insert(row.at("penalty").get<std::string>());
    CHECK(by_step.size() == 6);
    for (const auto& [step, penalties] : by_step) {
        INFO("step " << step);
        CHECK(penalties.size() == 1);
        CHECK(std::stod(*penalties.begin()) > 0.0);
    }
    spec["model"]["layers"][0].erase("l2");
    for (const auto& row : rows_of(run_spec(folder, spec, "without") / "steps.csv"))
        CHECK(row.value("penalty", std::string()).empty());
}

TEST_CASE("plan shows layers, at least two buckets for mnist_cnn, and runs nothing") {
    const TemporaryFolder folder;
    const auto outcome = run_convoy({"plan", EXPERIMENTS "/mnist_cnn.json"});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK_THAT(outcome.out, Contains("1199882") && Contains("_FusedConv2D") && Contains("bucket_0") &&
                                Contains("bucket_1"));
}

TEST_CASE("one node alone reduces nothing") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["nodes"] = 1;
    spec["strategy"] = "local";
    const auto run = run_spec(folder, spec, "out");
    for (const auto& row : rows_of(run / "operators.csv")) CHECK(row.at("operator") != "CollectiveReduce");
    CHECK(json_of(run / "summary.json").at("communication").at("bytes_sent_per_node").is_array());
}
