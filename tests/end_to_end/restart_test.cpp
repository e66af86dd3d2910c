// A run whose nodes are killed, and which starts them again by itself.

#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "base/environment_variable.hpp"
#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Ten steps an epoch.
json restarting_spec(const char* changes = "{}") {
    auto spec = small_spec();
    spec["epochs"] = is_sanitized ? 5 : 12;
    spec["failures"] = "restart";
    spec.merge_patch(json::parse(changes));
    return spec;
}

bool has_checkpoint_from(const fs::path& run, const std::string& name) {
    std::error_code none;
    return std::ranges::any_of(
        fs::directory_iterator(run.string() + ".checkpoints", none), [&](const fs::directory_entry& entry) {
            return entry.path().extension() == ".checkpoint" && entry.path().filename().string() >= name;
        });
}

/// Blocks until processes run that are not among those seen, as many as the run has nodes, and adds them.
/// Returns them, by rank.
std::vector<pid_t> new_workers(ConvoyProcess& run, std::set<pid_t>& seen, std::size_t nodes = 2) {
    std::vector<pid_t> found;
    REQUIRE(run.wait_until([&] {
        found = run.children();
        std::erase_if(found, [&](pid_t child) { return seen.contains(child); });
        return found.size() == nodes;
    }));
    seen.insert(found.begin(), found.end());
    return found;
}

}  // namespace

TEST_CASE("a killed node is started again, and the run leaves the same bits as an undisturbed one") {
    const std::size_t victim = is_sanitized ? 1 : GENERATE(0, 1);
    const auto* changes = GENERATE(R"({"checkpoints": {"every_steps": 4}})", R"({})",
                                   R"({"checkpoints": {"every_steps": 4}, "optimizer": "adam",
                     "strategy": {"name": "parameter_server", "overlap_forward": true, "slice_bytes": 4096}})");
    CAPTURE(victim, changes);
    const TemporaryFolder folder;
    const auto spec = restarting_spec(changes);
    const bool keeps = spec.contains("checkpoints");
    const auto whole = run_spec(folder, spec, "whole");
    CHECK(json_of(whole / "summary.json").at("failures").empty());

    const auto out = folder / "cut";
    ConvoyProcess run({"run", write_spec(folder, spec), "--out", out.string()});
    if (keeps) {
        REQUIRE(run.wait_until([&] { return has_checkpoint_from(out, "step-0000000012"); }));
    } else {
        REQUIRE(run.wait_for_error_text("epoch 2/"));
    }
    const auto workers = run.children();
    REQUIRE(workers.size() >= 2);
    ::kill(workers[victim], SIGKILL);
    const auto outcome = run.wait();
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK_THAT(outcome.err, Contains("node " + std::to_string(victim) + " (pid " +
                                     std::to_string(workers[victim]) + ") was killed by signal 9"));
    CHECK_THAT(outcome.err, Contains(keeps ? "all nodes start again, from the checkpoint of step "
                                           : "all nodes start again, from the beginning (restart 1 of 3"));
    for (const auto worker : workers) wait_until_gone(worker);
    CHECK(sha256_of_weights(out) == sha256_of_weights(whole));
    CHECK(global_losses_of(out) == global_losses_of(whole));
    CHECK_FALSE(fs::exists(out.string() + ".checkpoints"));

    const auto summary = json_of(out / "summary.json");
    CHECK(summary.at("status") == "done");
    REQUIRE(summary.at("failures").size() == 1);
    const auto& failure = summary.at("failures")[0];
    CHECK(failure.at("node") == victim);
    CHECK(failure.at("step") >= (keeps ? 12 : 10));
    CHECK(failure.at("detected_after_s") >= 0);
    CHECK(failure.at("first_step_after_s") > 0);
    const auto from = keeps ? summary.at("resumed_from_steps").at(0).get<int>() : 0;
    CHECK(failure.at("steps_lost") == failure.at("step").get<int>() - from);
    const auto rows = text_of(out / "failures.csv");
    CHECK(std::ranges::count(rows, '\n') == 2);
    CHECK_THAT(rows, Contains("Z," + std::to_string(victim) + ","));
    CHECK_THAT(text_of(out / "report.html"), Contains("Nodes that were lost or had a fault"));
}

TEST_CASE("a node that does not answer is lost after the deadline, and is started again") {
    const TemporaryFolder folder;
    const auto spec = restarting_spec(R"({"checkpoints": {"every_steps": 4}, "deadline_s": 3})");
    const auto whole = run_spec(folder, spec, "whole");
    const auto out = folder / "cut";
    ConvoyProcess run({"run", write_spec(folder, spec), "--out", out.string()});
    REQUIRE(run.wait_until([&] { return has_checkpoint_from(out, "step-0000000004"); }));
    const auto workers = run.children();
    REQUIRE(workers.size() == 2);
    ::kill(workers[1], SIGSTOP);
    const auto outcome = run.wait();
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    for (const auto worker : workers) wait_until_gone(worker);
    CHECK(sha256_of_weights(out) == sha256_of_weights(whole));
    const auto failures = json_of(out / "summary.json").at("failures");
    REQUIRE(failures.size() == 1);
    CHECK(failures[0].at("node") == 1);
    CHECK(failures[0].at("detected_after_s") > 1);
}

TEST_CASE("a run that ended since a node was lost tells of it when it goes on") {
    const TemporaryFolder folder;
    const auto spec =
        write_spec(folder, restarting_spec(R"({"checkpoints": {"every_steps": 4}, "failures": "abort"})"));
    const auto out = folder / "cut";
    {
        ConvoyProcess run({"run", spec, "--out", out.string()});
        REQUIRE(run.wait_until([&] { return has_checkpoint_from(out, "step-0000000004"); }));
        const auto workers = run.children();
        REQUIRE(workers.size() == 2);
        ::kill(workers[1], SIGKILL);
        CHECK(run.wait().code == 74);
    }
    const auto outcome = run_convoy({"run", spec, "--out", out.string(), "--resume"});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    const auto summary = json_of(out / "summary.json");
    REQUIRE(summary.at("failures").size() == 1);
    const auto& failure = summary.at("failures")[0];
    CHECK(failure.at("node") == 1);
    CHECK(failure.at("first_step_after_s").is_null());
    CHECK(failure.at("steps_lost") ==
          failure.at("step").get<int>() - summary.at("resumed_from_steps").at(0).get<int>());
}

TEST_CASE("a run whose node always dies ends with code 74 after its restarts") {
    const TemporaryFolder folder;
    auto spec = long_spec();
    spec["failures"] = {{"policy", "restart"}, {"restarts", 2}};
    ConvoyProcess run({"run", write_spec(folder, spec), "--out", (folder / "out").string()});
    std::set<pid_t> seen;
    for (int launch = 0; launch < 3; ++launch) {
        const auto workers = new_workers(run, seen);
        if (launch == 0) REQUIRE(run.wait_for_error_text("epoch "));
        ::kill(workers[1], SIGKILL);
    }
    const auto outcome = run.wait();
    INFO(outcome.err);
    CHECK(outcome.code == 74);
    CHECK_THAT(outcome.err,
               Contains("(restart 1 of 2 from there)") && Contains("in 1 s, from the beginning"));
    CHECK_THAT(outcome.err, Contains("2 restarts from the beginning did not help"));
    for (const auto worker : seen) wait_until_gone(worker);
}

TEST_CASE("a signal in the pause before a restart ends the run") {
    const TemporaryFolder folder;
    auto spec = long_spec();
    spec["checkpoints"] = {{"every_steps", 20}};
    spec["failures"] = "restart";
    ConvoyProcess run({"run", write_spec(folder, spec), "--out", (folder / "out").string()});
    std::set<pid_t> seen;
    for (int launch = 0; launch < 2; ++launch) {
        const auto workers = new_workers(run, seen);
        if (launch == 0)
            REQUIRE(run.wait_until([&] { return has_checkpoint_from(folder / "out", "step-"); }));
        ::kill(workers[1], SIGKILL);
    }
    REQUIRE(run.wait_for_error_text("start again in 1 s"));
    run.signal(SIGINT);
    const auto outcome = run.wait();
    INFO(outcome.err);
    CHECK(outcome.code == 130);
    CHECK_THAT(outcome.err, Contains("interrupted after a node was lost; ") &&
                                Contains("--resume goes on from the checkpoint"));
    CHECK(json_of(folder / "out.partial" / "records" / "run.json").at("run").at("failures").size() == 2);
}

TEST_CASE("nodes that somebody else starts cannot be started again, which is said at once") {
    const TemporaryFolder folder;
    const auto spec = write_spec(folder, restarting_spec());
    const auto out = (folder / "out").string();
    SECTION("by hand") {
        const auto outcome = run_convoy({"run", spec, "--out", out, "--await", "1"});
        CHECK(outcome.code == 64);
        CHECK_THAT(outcome.err, Contains("$.failures.policy: \"restart\"") && Contains("--await"));
    }
    SECTION("a world") {
        const auto* number = GENERATE("0", "1");
        const EnvironmentVariable rank("RANK", number), size("WORLD_SIZE", "2"),
            address("MASTER_ADDR", "127.0.0.1"), port("MASTER_PORT", "29500");
        const auto outcome = run_convoy({"run", spec, "--out", out});
        CHECK(outcome.code == 64);
        CHECK_THAT(outcome.err, Contains("$.failures.policy: \"restart\"") && Contains("WORLD_SIZE"));
    }
    CHECK(folder.entries() == 1);
}
