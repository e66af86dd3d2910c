// Faults that a spec has: nodes do them to themselves, or the launcher does them at random times.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "base/environment_variable.hpp"
#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Ten steps an epoch, on two nodes.
json faulty_spec(const json& faults, const char* changes = "{}") {
    auto spec = small_spec();
    spec["epochs"] = 3;
    spec["faults"] = faults;
    spec.merge_patch(json::parse(changes));
    return spec;
}

/// The same without faults.
json undisturbed(json spec) {
    spec.erase("faults");
    return spec;
}

json failures_of(const fs::path& run) {
    return json_of(run / "summary.json").at("failures");
}

/// Runs the spec with and without its faults, and requires that both leave the same bits. Returns the rows of
/// the failures.
json failures_at_same_bits(const TemporaryFolder& folder, const json& spec) {
    const auto whole = run_spec(folder, undisturbed(spec), "whole");
    const auto cut = run_spec(folder, spec, "cut");
    CHECK(sha256_of_weights(cut) == sha256_of_weights(whole));
    CHECK(failures_of(whole).empty());
    CHECK_THAT(text_of(cut / "environment.json"), !Contains("did not happen"));
    return failures_of(cut);
}

constexpr auto restarts = R"({"failures": "restart", "checkpoints": {"every_steps": 4}})";
constexpr auto shrinks = R"({"failures": "shrink", "micro_batch_size": 2, "optimizer": "adam",
                             "nodes": [{"threads": 1}, {"threads": 1}, {"threads": 1}],
                             "strategy": {"commit": "by_step"}, "epochs": 6})";

}  // namespace

TEST_CASE("a node that kills itself at a step ends the run, and --resume goes on without the fault") {
    const TemporaryFolder folder;
    const auto spec = write_spec(
        folder, faulty_spec(json::array({fault(1, 7, "kill")}), R"({"checkpoints": {"every_steps": 4}})"));
    const auto out = folder / "out";
    const auto ended = run_convoy({"run", spec, "--out", out.string()});
    CHECK(ended.code == 74);
    CHECK_THAT(ended.err, Contains("fault kill of node 1 at step 7") && Contains("was killed by signal 9"));
    const auto kept = json_of(folder / "out.partial" / "records" / "run.json").at("run");
    REQUIRE(kept.at("failures").size() == 1);
    CHECK(kept.at("failures")[0].at("fault") == "kill");
    CHECK(kept.at("failures")[0].at("fault_step") == 7);
    CHECK(kept.at("failures")[0].at("step") == 6);
    CHECK(kept.at("failures")[0].at("first_step_after_s").is_null());
    CHECK(kept.at("faults")[0].at("step") == 7);

    const auto resumed = run_convoy({"run", spec, "--out", out.string(), "--resume"});
    INFO(resumed.err);
    REQUIRE(resumed.code == 0);
    CHECK_THAT(resumed.err, !Contains("did not happen"));
    const auto failures = failures_of(out);
    REQUIRE(failures.size() == 1);
    const int from = json_of(out / "summary.json").at("resumed_from_steps").at(0);
    CHECK(failures[0].at("steps_lost") == 6 - from);
    CHECK(failures[0].at("examples_lost") == (6 - from) * 24);
}

TEST_CASE("faults of a run that restarts happen once, to the bits of an undisturbed run", "[large]") {
    const TemporaryFolder folder;
    const auto* kind = GENERATE("kill", "term", "drop_link");
    const int node = GENERATE(0, 1);
    CAPTURE(kind, node);
    const auto failures =
        failures_at_same_bits(folder, faulty_spec({fault(node, 7, kind), fault(1, 23, "kill")}, restarts));
    REQUIRE(failures.size() == 2);
    const auto& first = failures[0];
    CHECK(first.at("fault") == kind);
    CHECK(first.at("node") == node);
    CHECK(first.at("fault_step") == 7);
    CHECK(first.at("step") == 6);
    CHECK(first.at("detected_after_s") > 0);
    CHECK(first.at("agreed_after_s") > 0);
    CHECK(first.at("first_step_after_s") >= first.at("agreed_after_s"));
    CHECK(first.at("examples_lost") == first.at("steps_lost").get<int>() * 24);
    CHECK(failures[1].at("fault_step") == 23);
    const auto shown = run_convoy({"report", (folder / "cut").string(), "--table", "failures"});
    CHECK_THAT(shown.out, Contains(kind) && Contains("examples lost"));
    CHECK_THAT(text_of(folder / "cut" / "failures.csv"),
               Contains("replaced_after_s,fault,fault_step,agreed_after_s,examples_lost"));
}

TEST_CASE("a fault of a run that shrinks happens once, to the bits of an undisturbed run") {
    const TemporaryFolder folder;
    const bool grows = GENERATE(false, true);
    auto spec = faulty_spec({fault(1, 15, "kill"), fault(2, 31, "term")}, shrinks);
    if (grows) spec["failures"] = {{"policy", "shrink"}, {"grow", true}};
    const auto failures = failures_at_same_bits(folder, spec);
    REQUIRE(failures.size() == 2);
    CHECK(failures[0].at("fault") == "kill");
    CHECK(failures[0].at("node") == 1);
    CHECK(failures[0].at("steps_lost") <= 1);
    CHECK(failures[0].at("examples_lost") == failures[0].at("steps_lost").get<int>() * 24);
    CHECK(failures[0].at("agreed_after_s") > 0);
    CHECK(failures[1].at("fault") == "term");  // of the place that node 2 had at the beginning
    CHECK(failures[1].at("fault_step") == 31);
}

TEST_CASE("a node that stops itself, is cut off or waits for ever is lost after the deadline", "[large]") {
    const TemporaryFolder folder;
    const auto* kind = GENERATE("hang", "partition", "deadlock");
    CAPTURE(kind);
    const auto* policy = is_sanitized ? shrinks : GENERATE(restarts, shrinks);
    auto spec = faulty_spec(json::array({fault(1, 15, kind)}), policy);
    spec["deadline_s"] = 3;
    const auto failures = failures_at_same_bits(folder, spec);
    REQUIRE(failures.size() == 1);
    CHECK(failures[0].at("fault") == kind);
    CHECK(failures[0].at("detected_after_s") > 1);
    CHECK(failures[0].at("first_step_after_s") > 0);
}

TEST_CASE("with heartbeats, a silent node is lost long before the deadline") {
    const TemporaryFolder folder;
    auto spec = faulty_spec({fault(1, 15, "hang"), fault(0, 25, "partition")}, shrinks);
    spec["failures"] = {{"policy", "shrink"}, {"grow", true}, {"heartbeat_s", 1}};
    const auto failures = failures_at_same_bits(folder, spec);
    REQUIRE(failures.size() == 2);
    for (const auto& failure : failures) CHECK(failure.at("detected_after_s") < 10);  // the deadline is 30 s
}

TEST_CASE("nodes whose connections are closed make new ones by the policy shrink", "[large]") {
    const TemporaryFolder folder;
    const auto failures =
        failures_at_same_bits(folder, faulty_spec(json::array({fault(1, 15, "drop_link")}), shrinks));
    REQUIRE(failures.size() == 1);
    CHECK(failures[0].at("fault") == "drop_link");
    CHECK(failures[0].at("first_step_after_s") > 0);
    CHECK(json_of(folder / "cut" / "summary.json").at("per_node").size() == 3);
}

TEST_CASE("a slow node computes longer from its fault on, and the bits stay") {
    const TemporaryFolder folder;
    const json slow{{"node", 1}, {"step", 11}, {"kind", "slow"}, {"factor", 3.0}};
    const auto failures = failures_at_same_bits(folder, faulty_spec(json::array({slow})));
    REQUIRE(failures.size() == 1);
    CHECK(failures[0].at("fault") == "slow");
    CHECK(failures[0].at("detected_after_s").is_null());
    CHECK(failures[0].at("steps_lost") == 0);
    int calls = 0;
    for (const auto& row : rows_of(folder / "cut" / "operators.csv")) {
        if (row.at("operator") != "_Slow") continue;
        CHECK(row.at("node") == "1");
        calls += std::stoi(row.at("calls").get<std::string>());
    }
    CHECK(calls == 20);  // the steps from 11 to 30
}

TEST_CASE("a slow node stays slow when another one is lost", "[large]") {
    const TemporaryFolder folder;
    const auto spec = faulty_spec(
        {{{"node", 2}, {"step", 11}, {"kind", "slow"}, {"factor", 2.0}}, fault(0, 15, "kill")}, shrinks);
    CHECK(failures_at_same_bits(folder, spec).size() == 2);
    bool is_slow_at_end = false;
    for (const auto& row : rows_of(folder / "cut" / "operators.csv"))
        is_slow_at_end = is_slow_at_end || (row.at("operator") == "_Slow" && row.at("epoch") == "6");
    CHECK(is_slow_at_end);
}

TEST_CASE("a worker and a server of a parameter server have faults, too") {
    const TemporaryFolder folder;
    auto spec = faulty_spec({fault(1, 7, "kill"), fault(2, 13, "kill")}, restarts);
    spec["strategy"] = {{"name", "parameter_server"}};
    const auto failures = failures_at_same_bits(folder, spec);
    REQUIRE(failures.size() == 2);
    CHECK(failures[0].at("node") == 1);
    CHECK(failures[1].at("node") == 2);
}

TEST_CASE("random faults happen as often as they are drawn, and are the same each time", "[large]") {
    const TemporaryFolder folder;
    auto spec = faulty_spec({{"mean_time_s", 0.05}, {"count", 3}, {"kinds", {"kill", "term"}}}, restarts);
    spec["epochs"] = is_sanitized ? 6 : 30;
    spec["failures"] = {{"policy", "restart"}, {"restarts", 10}};
    const auto failures = failures_at_same_bits(folder, spec);
    REQUIRE(failures.size() == 3);
    const auto drawn = json_of(folder / "cut" / "summary.json").at("faults");
    REQUIRE(drawn.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(failures[i].at("fault") == drawn[i].at("kind"));
        CHECK(failures[i].at("node") == drawn[i].at("node"));
        CHECK(failures[i].at("fault_step").is_null());
    }
    const auto plan = run_convoy({"plan", write_spec(folder, spec), "--json"});
    CHECK(json::parse(plan.out).at("faults") == drawn);
}

TEST_CASE("a random fault of a node that is not there any more does not happen", "[large]") {
    const TemporaryFolder folder;
    auto spec = faulty_spec({{"mean_time_s", 0.02}, {"count", 2}, {"nodes", {2}}}, shrinks);
    spec["epochs"] = is_sanitized ? 8 : 60;
    const auto outcome = run_convoy({"run", write_spec(folder, spec), "--out", (folder / "out").string()});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK_THAT(outcome.err, Contains("the fault kill of node 2 does not happen: the node is not there"));
    CHECK(failures_of(folder / "out").size() == 1);
}

TEST_CASE("a fault that did not happen, as training ended early, is told") {
    const TemporaryFolder folder;
    const auto spec = faulty_spec(json::array({fault(1, 25, "kill")}), R"({"target": {"accuracy": 0.001}})");
    const auto outcome = run_convoy({"run", write_spec(folder, spec), "--out", (folder / "out").string()});
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.err, Contains("the fault kill of node 1 at step 25 did not happen"));
    CHECK(failures_of(folder / "out").empty());
}

TEST_CASE("a plan tells the faults, and faults that cannot happen are refused at once") {
    const TemporaryFolder folder;
    const auto plan =
        run_convoy({"plan", write_spec(folder, faulty_spec(json::array({fault(1, 30, "hang")})))});
    CHECK(plan.code == 0);
    CHECK_THAT(plan.out, Contains("fault: hang of node 1 at step 30"));
    const auto behind =
        run_convoy({"run", write_spec(folder, faulty_spec(json::array({fault(1, 31, "kill")})))});
    CHECK(behind.code == 65);
    CHECK_THAT(behind.err, Contains("$.faults[0].step: found 31, expected at most 30"));

    const auto random = write_spec(folder, faulty_spec({{"mean_time_s", 1}}));
    const auto by_hand = run_convoy({"run", random, "--out", (folder / "out").string(), "--await", "1"});
    CHECK(by_hand.code == 64);
    CHECK_THAT(by_hand.err, Contains("$.faults: random faults") && Contains("--await"));
    const auto elsewhere =
        run_convoy({"run", random, "--out", (folder / "out").string(), "--hosts", "localhost:2"});
    CHECK(elsewhere.code == 64);
    CHECK_THAT(elsewhere.err, Contains("$.faults: random faults") && Contains("--hosts"));
    const auto term = write_spec(folder, faulty_spec(json::array({fault(1, 3, "term")})));
    const auto hang = write_spec(folder, faulty_spec(json::array({fault(1, 3, "hang")})), "hang.json");
    const auto stays = run_convoy({"run", hang, "--out", (folder / "out").string(), "--await", "1"});
    CHECK(stays.code == 64);
    CHECK_THAT(stays.err, Contains("$.faults[0].kind: found \"hang\"") && Contains("--await"));
    const EnvironmentVariable rank("RANK", "0"), size("WORLD_SIZE", "2"), address("MASTER_ADDR", "127.0.0.1"),
        port("MASTER_PORT", "29500");
    const auto world = run_convoy({"run", term, "--out", (folder / "out").string()});
    CHECK(world.code == 64);
    CHECK_THAT(world.err, Contains("$.faults[0].kind: found \"term\"") && Contains("WORLD_SIZE"));
}
