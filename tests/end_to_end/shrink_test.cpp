// A run that goes on with its other nodes when one is lost.

#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "base/environment_variable.hpp"
#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Ten steps an epoch, on three nodes; the bits do not depend on the number of nodes.
json shrinking_spec(const char* changes = "{}") {
    auto spec = small_spec();
    spec["epochs"] = is_sanitized ? 8 : 60;
    spec["nodes"] = nodes(3);
    spec["micro_batch_size"] = 2;
    spec["optimizer"] = "adam";
    spec["strategy"]["commit"] = "by_step";
    spec["failures"] = "shrink";
    spec.merge_patch(json::parse(changes));
    return spec;
}

double test_loss_of(const fs::path& run) {
    return std::stod(rows_of(run / "epochs.csv").back().at("test_loss").get<std::string>());
}

/// The loss of each step over all nodes, in the digits of steps.csv; each row of a step has it.
std::map<int, std::string> global_losses_by_step(const fs::path& run) {
    std::map<int, std::string> losses;
    for (const auto& row : rows_of(run / "steps.csv"))
        losses[std::stoi(row.at("step").get<std::string>())] = row.at("global_loss").get<std::string>();
    return losses;
}

/// The examples of each step that steps.csv has, from this step on.
std::vector<int> examples_from(const fs::path& run, int first, int steps) {
    std::vector<int> examples(static_cast<std::size_t>(steps - first + 1));
    for (const auto& row : rows_of(run / "steps.csv")) {
        const auto step = std::stoi(row.at("step").get<std::string>());
        if (step >= first)
            examples.at(static_cast<std::size_t>(step - first)) +=
                std::stoi(row.at("examples").get<std::string>());
    }
    return examples;
}

}  // namespace

TEST_CASE("the other nodes go on without a killed one, to the bits of an undisturbed run") {
    const std::size_t victim = is_sanitized ? 0 : GENERATE(0, 1, 2);
    CAPTURE(victim);
    const TemporaryFolder folder;
    const auto spec = shrinking_spec();
    const int steps = 10 * spec.at("epochs").get<int>();
    const auto whole = run_spec(folder, spec, "whole");
    const auto out = folder / "cut";
    ConvoyProcess run({"run", write_spec(folder, spec), "--out", out.string()});
    REQUIRE(run.wait_for_error_text("epoch 2/"));
    const auto workers = run.children();
    REQUIRE(workers.size() == 3);
    ::kill(workers[victim], SIGKILL);
    REQUIRE(run.wait_for_error_text("go on after step "));
    wait_until_gone(workers[victim]);
    CHECK(run.children().size() == 2);  // they are the same processes
    for (const auto child : run.children()) CHECK(std::ranges::count(workers, child) == 1);
    const auto outcome = run.wait();
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK_THAT(outcome.err, Contains("node " + std::to_string(victim) + " (pid " +
                                     std::to_string(workers[victim]) + ") was killed by signal 9") &&
                                Contains("the other 2 nodes go on after step "));
    for (const auto worker : workers) wait_until_gone(worker);
    CHECK(sha256_of_weights(out) == sha256_of_weights(whole));

    const auto summary = json_of(out / "summary.json");
    REQUIRE(summary.at("failures").size() == 1);
    const auto& failure = summary.at("failures")[0];
    CHECK(failure.at("node") == victim);
    CHECK(failure.at("steps_lost") <= 1);  // a step that only the lost node had committed
    CHECK(failure.at("first_step_after_s") > 0);
    // No example is left out, and none is used twice, also in the step that was taken again; the loss of each
    // step is that of the undisturbed run.
    const int first = failure.at("step").get<int>() - failure.at("steps_lost").get<int>() + 1;
    for (const int examples : examples_from(out, first, steps)) CHECK(examples == 24);
    const auto losses = global_losses_by_step(out), undisturbed = global_losses_by_step(whole);
    for (int step = first; step <= steps; ++step) CHECK(losses.at(step) == undisturbed.at(step));
    CHECK(test_loss_of(out) == Approx(test_loss_of(whole)).epsilon(1e-5));  // summed over other shares
}

TEST_CASE("a process takes the place of a killed one, to the bits of an undisturbed run", "[large]") {
    const std::size_t victim = is_sanitized ? 0 : GENERATE(0, 2);
    CAPTURE(victim);
    const TemporaryFolder folder;
    auto spec = shrinking_spec(R"({"failures": {"policy": "shrink", "grow": true}})");
    const int steps = 10 * spec.at("epochs").get<int>();
    const auto whole = run_spec(folder, spec, "whole");
    // The short run of a sanitized build goes on until the new process is there, which starts slowly.
    if (is_sanitized) spec["faults"] = {{{"node", 1}, {"step", 12}, {"kind", "slow"}, {"factor", 10.0}}};
    const auto out = folder / "cut";
    ConvoyProcess run({"run", write_spec(folder, spec), "--out", out.string()});
    REQUIRE(run.wait_for_error_text("epoch 2/"));
    const auto workers = run.children();
    REQUIRE(workers.size() == 3);
    ::kill(workers[victim], SIGKILL);
    const auto place = std::to_string(victim);
    REQUIRE(run.wait_for_error_text("a new process takes the place of node " + place + "; 3 nodes go on"));
    const auto now = run.children();
    CHECK(now.size() == 3);
    for (const auto worker : workers)
        CHECK(std::ranges::count(now, worker) == (worker == workers[victim] ? 0 : 1));
    const auto outcome = run.wait();
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    for (const auto worker : now) wait_until_gone(worker);
    CHECK(sha256_of_weights(out) == sha256_of_weights(whole));
    const auto summary = json_of(out / "summary.json");
    REQUIRE(summary.at("failures").size() == (is_sanitized ? 2 : 1));
    const auto failure = summary.at("failures").back();
    CHECK(failure.at("node") == victim);
    CHECK(failure.at("replaced_after_s") >= failure.at("first_step_after_s"));
    const int first = failure.at("step").get<int>() + 2;
    for (const int examples : examples_from(out, first, steps)) CHECK(examples == 24);
    CHECK(summary.at("per_node").size() == 3);
    // The new process has told its last steps.
    const auto rows = rows_of(out / "steps.csv");
    CHECK(std::ranges::any_of(rows, [&](const json& row) {
        return row.at("node") == place && row.at("step") == std::to_string(steps);
    }));
    CHECK(test_loss_of(out) == Approx(test_loss_of(whole)).epsilon(1e-5));
}

TEST_CASE("processes take the places of two that are killed at once, each in its own", "[large]") {
    const TemporaryFolder folder;
    const auto spec = shrinking_spec(R"({"failures": {"policy": "shrink", "grow": true}, "nodes": 4})");
    const auto whole = run_spec(folder, spec, "whole");
    const auto out = folder / "cut";
    ConvoyProcess run({"run", write_spec(folder, spec), "--out", out.string()});
    REQUIRE(run.wait_for_error_text("epoch 2/"));
    const auto workers = run.children();
    REQUIRE(workers.size() == 4);
    ::kill(workers[1], SIGKILL);
    ::kill(workers[2], SIGKILL);
    REQUIRE(run.wait_for_error_text("4 nodes go on after step "));
    const auto outcome = run.wait();
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(sha256_of_weights(out) == sha256_of_weights(whole));
    const auto failures = json_of(out / "summary.json").at("failures");
    REQUIRE(failures.size() == 2);
    for (const auto& failure : failures) {
        CHECK(failure.at("first_step_after_s") > 0);
        CHECK(failure.at("replaced_after_s") >= failure.at("first_step_after_s"));
    }
    CHECK(json_of(out / "summary.json").at("per_node").size() == 4);
}

TEST_CASE("a run goes on until one node is left", "[large]") {
    const TemporaryFolder folder;
    const auto spec = shrinking_spec();
    const auto whole = run_spec(folder, spec, "whole");
    const auto out = folder / "cut";
    ConvoyProcess run({"run", write_spec(folder, spec), "--out", out.string()});
    REQUIRE(run.wait_for_error_text("epoch 1/"));
    ::kill(run.children().at(0), SIGKILL);
    REQUIRE(run.wait_for_error_text("the other 2 nodes go on after step "));
    REQUIRE(run.wait_for_error_text(is_sanitized ? "epoch 4/" : "epoch 30/"));
    // Who watches the run sees epochs of the nodes that are left.
    CHECK(rows_of(out.string() + ".partial/epochs.csv").size() >= (is_sanitized ? 2 : 20));
    ::kill(run.children().at(1), SIGSEGV);
    const auto outcome = run.wait();
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK_THAT(outcome.err, Contains("the other node goes on after step "));
    CHECK(sha256_of_weights(out) == sha256_of_weights(whole));
    CHECK(json_of(out / "summary.json").at("failures").size() == 2);
}

TEST_CASE("a node that is lost while the others regroup is lost, too", "[large]") {
    const TemporaryFolder folder;
    const auto spec = shrinking_spec();
    const auto whole = run_spec(folder, spec, "whole");
    const auto out = folder / "cut";
    ConvoyProcess run({"run", write_spec(folder, spec), "--out", out.string()});
    REQUIRE(run.wait_for_error_text("epoch 2/"));
    const auto workers = run.children();
    REQUIRE(workers.size() == 3);
    ::kill(workers[1], SIGKILL);
    REQUIRE(run.wait_for_error_text("the other 2 nodes go on after step "));
    ::kill(workers[0], SIGKILL);
    const auto outcome = run.wait();
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(sha256_of_weights(out) == sha256_of_weights(whole));
    CHECK(json_of(out / "summary.json").at("failures").size() == 2);
}

TEST_CASE("a node that does not answer is ended, and the others go on", "[large]") {
    const TemporaryFolder folder;
    const auto spec = shrinking_spec(R"({"deadline_s": 3})");
    const auto whole = run_spec(folder, spec, "whole");
    const auto out = folder / "cut";
    ConvoyProcess run({"run", write_spec(folder, spec), "--out", out.string()});
    REQUIRE(run.wait_for_error_text("epoch 1/"));
    const auto workers = run.children();
    ::kill(workers.at(1), SIGSTOP);
    const auto outcome = run.wait();
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    for (const auto worker : workers) wait_until_gone(worker);
    CHECK(sha256_of_weights(out) == sha256_of_weights(whole));
}

TEST_CASE("sums in floats go on with other rounding only", "[large]") {
    const TemporaryFolder folder;
    auto spec = shrinking_spec(R"({"micro_batch_size": null, "strategy": {"overlap": true}})");
    const auto whole = run_spec(folder, spec, "whole");
    const auto out = folder / "cut";
    ConvoyProcess run({"run", write_spec(folder, spec), "--out", out.string()});
    REQUIRE(run.wait_for_error_text("epoch 1/"));
    ::kill(run.children().at(2), SIGKILL);
    const auto outcome = run.wait();
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(test_loss_of(out) == Approx(test_loss_of(whole)).epsilon(0.05));
}

TEST_CASE("nodes whose processes others have cannot go on without one, which is said at once") {
    const TemporaryFolder folder;
    const auto spec = write_spec(folder, shrinking_spec());
    const auto out = (folder / "out").string();
    const auto refused = [&](const std::vector<std::string>& more, const std::string& name) {
        std::vector<std::string> arguments{"run", spec, "--out", out};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const auto outcome = run_convoy(arguments);
        CHECK(outcome.code == 64);
        CHECK_THAT(outcome.err, Contains("$.failures.policy: \"shrink\"") && Contains(name));
    };
    refused({"--await", "1"}, "--await");
    refused({"--hosts", "localhost:3"}, "--hosts");
    const EnvironmentVariable rank("RANK", "0"), size("WORLD_SIZE", "3"), address("MASTER_ADDR", "127.0.0.1"),
        port("MASTER_PORT", "29500");
    refused({}, "WORLD_SIZE");
    CHECK(folder.entries() == 1);
}

TEST_CASE("batch normalisation cannot go on without a node, which is said at once") {
    const TemporaryFolder folder;
    auto spec = shrinking_spec();
    spec.erase("micro_batch_size");
    spec["model"]["layers"].insert(spec["model"]["layers"].begin() + 1, json{{"type", "batch_norm"}});
    const auto outcome = run_convoy({"run", write_spec(folder, spec), "--out", (folder / "out").string()});
    CHECK(outcome.code != 0);
    CHECK_THAT(outcome.err, Contains("$.failures.policy") && Contains("batch normalisation"));
}
