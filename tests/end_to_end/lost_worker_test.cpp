// Workers that take steps apart, by way of servers: the others go on when one of them is lost.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr int steps = 60;  ///< of each worker that is not lost
constexpr int share = 8;   ///< the examples of each of three workers in a batch

/// Ten steps an epoch, three workers, and servers behind them.
json served_spec(const json& staleness, int servers, const json& faults) {
    auto spec = small_spec();
    spec["epochs"] = steps / 10;
    spec["nodes"] = nodes(3);
    spec["strategy"] = {
        {"name", "parameter_server"}, {"servers", servers}, {"staleness", staleness}, {"bucket_bytes", 1024}};
    spec["failures"] = "shrink";
    spec["faults"] = faults;
    return spec;
}

int number_in(const json& row, const char* column) {
    return std::stoi(row.at(column).get<std::string>());
}

/// The examples of each step that workers have told.
std::map<int, int> examples_by_step(const fs::path& run) {
    std::map<int, int> examples;
    for (const auto& row : rows_of(run / "steps.csv"))
        examples[number_in(row, "step")] += number_in(row, "examples");
    return examples;
}

/// Each of these servers has updated its parameters so often. Updates are counted without a gap, and none
/// twice.
void check_updates(const fs::path& run, int servers, int expected) {
    std::map<int, int> times;
    for (const auto& row : rows_of(run / "updates.csv")) ++times[number_in(row, "update")];
    REQUIRE(times.size() == static_cast<std::size_t>(expected));
    CHECK(times.rbegin()->first == expected);
    for (const auto& [update, count] : times) CHECK(count == servers);
}

json only_failure_of(const fs::path& run) {
    const auto failures = json_of(run / "summary.json").at("failures");
    REQUIRE(failures.size() == 1);
    return failures[0];
}

Outcome run_in(const TemporaryFolder& folder, const char* command, const json& spec) {
    std::vector<std::string> arguments{command, write_spec(folder, spec)};
    if (std::string(command) == "run")
        arguments.insert(arguments.end(), {"--out", (folder / "out").string()});
    return run_convoy(arguments);
}

}  // namespace

TEST_CASE("workers apart go on without a killed one, whose share alone is left out") {
    // No run with the bound would end if it waited for the lost worker.
    using Case = std::tuple<json, int, int, const char*>;
    const auto [staleness, servers, victim, kind] =
        is_sanitized ? Case{1, 2, 0, "kill"}
                     : GENERATE(Case{1, 1, 0, "kill"}, Case{1, 2, 2, "term"}, Case{json(), 1, 2, "term"},
                                Case{json(), 2, 0, "kill"});
    CAPTURE(staleness, servers, victim, kind);
    const TemporaryFolder folder;
    const auto run =
        run_in(folder, "run", served_spec(staleness, servers, json::array({fault(victim, 15, kind)})));
    INFO(run.err);
    REQUIRE(run.code == 0);
    CHECK_THAT(run.err,
               Contains("the other " + std::to_string(2 + servers) + " nodes go on from their own steps"));
    const auto out = folder / "out";
    int told = 0;  // the lost worker had not told all
    for (const auto& row : rows_of(out / "steps.csv"))
        if (number_in(row, "node") == victim) told = std::max(told, number_in(row, "step"));
    CHECK(told < 15);
    // From the fault on, a batch lacks the share of the lost worker and nothing else.
    const auto examples = examples_by_step(out);
    REQUIRE(examples.size() == steps);
    for (const auto& [step, count] : examples)
        if (step >= 15) CHECK(count == 2 * share);
    // The lost worker had done 14 steps. No message of the others is left out, and none counts twice.
    check_updates(out, servers, 2 * steps + 14);

    const auto failure = only_failure_of(out);
    CHECK(failure.at("node") == victim);
    CHECK(failure.at("fault") == kind);
    CHECK(failure.at("fault_step") == 15);
    CHECK(failure.at("steps_lost") == 0);
    CHECK(failure.at("examples_lost") == (steps - 14) * share);
    CHECK(failure.at("agreed_after_s") > 0);
    CHECK(failure.at("first_step_after_s") > 0);
    const auto nodes = json_of(out / "summary.json").at("per_node");  // by the ranks of the beginning
    REQUIRE(nodes.size() == static_cast<std::size_t>(3 + servers));
    for (const auto& node : nodes) CHECK(node.at("steps") == (node.at("node") == victim ? told : steps));
    CHECK_THAT(text_of(out / "environment.json"), Contains("its share of later batches was left out"));
}

TEST_CASE("workers apart go on until one is left") {
    const TemporaryFolder folder;
    const auto run = run_in(folder, "run",
                            served_spec(is_sanitized ? json(1) : GENERATE(json(), json(1)), 1,
                                        {fault(0, 15, "kill"), fault(2, 31, "kill")}));
    INFO(run.err);
    REQUIRE(run.code == 0);
    const auto out = folder / "out";
    check_updates(out, 1, steps + 14 + 30);
    const auto failures = json_of(out / "summary.json").at("failures");
    REQUIRE(failures.size() == 2);
    CHECK(failures[0].at("node") == 0);
    CHECK(failures[0].at("examples_lost") == (steps - 14) * share);
    CHECK(failures[1].at("node") == 2);
    CHECK(failures[1].at("examples_lost") == (steps - 30) * share);
    CHECK(examples_by_step(out).rbegin()->second == share);
}

TEST_CASE("workers apart do not wait for one that hangs longer than two heartbeats") {
    const TemporaryFolder folder;
    auto spec = served_spec(1, 2, json::array({fault(1, 15, GENERATE("hang", "partition"))}));
    spec["failures"] = {{"policy", "shrink"}, {"heartbeat_s", 1}};
    const auto run = run_in(folder, "run", spec);
    INFO(run.err);
    REQUIRE(run.code == 0);
    check_updates(folder / "out", 2, 2 * steps + 14);
    CHECK(only_failure_of(folder / "out").at("detected_after_s") < 10);  // the deadline is 20 s
}

TEST_CASE("a worker apart that answers and takes no step is lost in the end", "[large]") {
    const TemporaryFolder folder;
    auto spec = served_spec(GENERATE(json(), json(1)), 1, json::array({fault(1, 15, "deadlock")}));
    spec["deadline_s"] = 3;
    const auto run = run_in(folder, "run", spec);
    INFO(run.err);
    REQUIRE(run.code == 0);
    check_updates(folder / "out", 1, 2 * steps + 14);
    CHECK(only_failure_of(folder / "out").at("node") == 1);
}

TEST_CASE("workers apart whose connections are closed make new ones, and each message counts once") {
    const TemporaryFolder folder;
    const int node = GENERATE(1, 3);  // a worker, and a server
    CAPTURE(node);
    const auto run = run_in(folder, "run", served_spec(1, 2, json::array({fault(node, 15, "drop_link")})));
    INFO(run.err);
    REQUIRE(run.code == 0);
    CHECK_THAT(run.err, Contains("all 5 nodes go on from their own steps"));
    check_updates(folder / "out", 2, 3 * steps);
    const auto examples = examples_by_step(folder / "out");
    REQUIRE(examples.size() == steps);
    for (const auto& [step, count] : examples) CHECK(count == 3 * share);
    const auto failure = only_failure_of(folder / "out");
    CHECK(failure.at("steps_lost") == 0);
    CHECK(failure.at("examples_lost") == 0);
}

TEST_CASE("a lost server ends a run of workers apart, and the reason is said") {
    const TemporaryFolder folder;
    const auto run = run_in(folder, "run", served_spec(1, 2, json::array({fault(4, 15, "kill")})));
    INFO(run.err);
    CHECK(run.code == 74);
    CHECK_THAT(run.err,
               Contains("node 4") && Contains("a run goes on without a worker, and not without a server"));
}

TEST_CASE("what servers cannot go on with is refused by plan and run, with the reason") {
    const TemporaryFolder folder;
    const char* command = GENERATE("plan", "run");
    const auto refused = [&](const json& spec, const char* words) {
        const auto outcome = run_in(folder, command, spec);
        CHECK(outcome.code == 65);
        CHECK_THAT(outcome.err, Contains(words));
        CHECK(folder.entries() == 1);
    };
    const auto spec = served_spec(1, 1, json::array());
    refused(served_spec(0, 1, json::array()),
            "$.strategy.staleness: found 0, expected null or a number above 0");
    auto grows = spec;
    grows["failures"] = {{"policy", "shrink"}, {"grow", true}};
    refused(grows, "$.failures.grow: found true, expected false with the strategy \"parameter_server\"");
    auto moves = spec;
    moves["model"]["layers"].insert(moves["model"]["layers"].begin() + 1, json{{"type", "batch_norm"}});
    refused(moves, "batch normalisation");
    auto saves = spec;
    saves["checkpoints"] = {{"every_steps", 4}};
    refused(saves, "$.checkpoints");
}
