#include <catch2/catch.hpp>
#include <chrono>
#include <set>
#include <string>
#include <utility>

#include "base/run_program.hpp"
#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

/// What the check of a trace finds in it.
json checked(const std::filesystem::path& run) {
    const auto outcome =
        run_program({"python3", CHECK_TRACE}, text_of(run / "trace.json"), std::chrono::seconds(60));
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return json::parse(outcome.out);
}

/// The steps of the trace, by epoch and step.
std::set<std::pair<int, int>> traced_steps(const std::filesystem::path& run) {
    std::set<std::pair<int, int>> steps;
    const auto trace = json_of(run / "trace.json");
    for (const auto& event : trace.at("traceEvents"))
        if (event.value("cat", "") == "step")
            steps.emplace(event.at("args").at("epoch"), event.at("args").at("step"));
    return steps;
}

}  // namespace

TEST_CASE("the trace of a run holds to its format, and shows each exchange on all ranks") {
    const TemporaryFolder folder;
    const auto run = run_spec(folder, small_spec(), "out");
    const auto found = checked(run);
    CHECK(found.at("processes") == 2);
    CHECK(found.at("slices").at("step") == 20);
    const int flights = found.at("slices").at("communication");
    CHECK(flights > 0);
    CHECK(found.at("arrows") == json{{"exchange", flights}, {"rank to rank", flights / 2}});

    const auto trace = json_of(run / "trace.json");
    for (const auto& event : trace.at("traceEvents")) {
        if (event.value("cat", "") != "communication") continue;
        CHECK(event.at("args").at("verb") == "all_reduce");
        CHECK_FALSE(event.at("args").at("algorithm").get<std::string>().empty());
        CHECK(event.at("args").at("ranks") == 2);
        CHECK(event.at("args").at("sent_bytes").get<int>() > 0);
        CHECK(event.at("args").at("received_bytes").get<int>() > 0);
    }
    const auto& other = trace.at("otherData");
    CHECK(other.at("run_id") == json_of(run / "summary.json").at("run_id"));
    CHECK(other.at("nodes").size() == 2);
    for (const auto& node : other.at("nodes")) {
        CHECK(node.at("pid").get<int>() > 0);
        CHECK(node.at("threads") == 1);
        CHECK(node.at("clock_error_us").get<double>() > 0.0);
    }
}

TEST_CASE("a trace holds to its format whatever the strategy") {
    const auto change = GENERATE(as<std::string>{},                                                       //
                                 R"({"strategy": {"name": "ring_allreduce", "overlap_forward": true}})",  //
                                 R"({"strategy": {"name": "parameter_server"}})",                         //
                                 R"({"strategy": {"name": "local_sgd", "average_every": 3}})",            //
                                 R"({"strategy": {"name": "ring_allreduce", "wire_type": "top_k"}})",     //
                                 R"({"strategy": {"name": "model_split", "stages":
                                        [["conv2d_1", "max_pool_1", "dropout_1"], ["flatten_1", "dense_1"]]}})",
                                 R"({"micro_batch_size": 4})");
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["dataset"]["train_examples"] = 96;
    spec["epochs"] = 2;
    spec.merge_patch(json::parse(change));
    INFO(change);
    const auto found = checked(run_spec(folder, spec, "out"));
    CHECK(found.at("slices").at("step").get<int>() >= 16);
    CHECK(found.at("arrows").at("exchange").get<int>() > 0);
    CHECK(found.at("arrows").at("rank to rank").get<int>() > 0);
}

TEST_CASE("a trace shows the steps that the spec chooses") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["epochs"] = 2;
    spec["measure"] = {{"trace_steps", {{"from", 4}, {"count", 2}}}};
    const auto run = run_spec(folder, spec, "chosen");
    CHECK(traced_steps(run) == std::set<std::pair<int, int>>{{1, 4}, {1, 5}, {2, 14}, {2, 15}});
    CHECK(json_of(run / "spec.json").at("measure").at("trace_steps") == json{{"from", 4}, {"count", 2}});
    spec["measure"] = {{"trace_steps", 1}};
    CHECK(traced_steps(run_spec(folder, spec, "first")) == std::set<std::pair<int, int>>{{1, 1}, {2, 11}});
}

TEST_CASE("without a choice a trace leaves out the first steps of long epochs") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["batch_size"] = 8;  // 30 steps an epoch
    const auto steps = traced_steps(run_spec(folder, spec, "out"));
    CHECK(steps.size() == 20);
    CHECK(*steps.begin() == std::pair(1, 6));
}

TEST_CASE("a trace of steps that no epoch has is a warning") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["measure"] = {{"trace_steps", {{"from", 11}}}};
    const auto file = write_spec(folder, spec);
    for (const auto& command : {std::vector<std::string>{"plan", file},
                                std::vector<std::string>{"run", file, "--out", (folder / "out").string()}}) {
        const auto outcome = run_convoy(command);
        CHECK(outcome.code == 0);
        CHECK_THAT(outcome.err, Contains("$.measure.trace_steps.from is 11") && Contains("step 10"));
    }
    CHECK(traced_steps(folder / "out").empty());
}
