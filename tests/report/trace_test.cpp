#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "trace_text.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

/// A node with slices that touch, on a clock with many digits.
NodeRecords touching(int count, double first_us) {
    NodeRecords records;
    double start = first_us;
    for (int i = 0; i < count; ++i) {
        records.trace.push_back({0, "compute", "A", "a", 1, start, 0.1 * (1 + i % 7), 1, "forward"});
        start += records.trace.back().duration_us;
    }
    records.trace.push_back({0, "step", "", "", 1, first_us, start - first_us, 1, "", 5});
    records.system.push_back({0, 0.2, 90, 10, 1, 100, 0, 0, 60, first_us});
    return records;
}

}  // namespace

TEST_CASE("a trace holds to the rules of its format") {
    const auto text = trace_json(example_records());
    const auto outcome = checked(text);
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    const auto found = json::parse(outcome.out);
    CHECK(found.at("processes") == 2);
    // Of each of two nodes: forward, backward, communication and update; the skew in a flight and in a wait.
    CHECK(found.at("slices") ==
          json{{"step", 2}, {"pass", 8}, {"compute", 18}, {"communication", 4}, {"queued", 2}, {"skew", 4}});
    CHECK(found.at("arrows") == json{{"exchange", 4}, {"rank to rank", 2}});
}

TEST_CASE("the check finds what is wrong in a trace") {
    auto broken = json::parse(trace_json(example_records()));
    auto& events = broken.at("traceEvents");
    const auto event = [&](const char* kind) -> json& {
        return *std::ranges::find_if(events, [&](const json& each) { return each.at("ph") == kind; });
    };
    std::string expected;
    SECTION("an arrow that ends nowhere") {
        event("f")["ts"] = 1e6;
        expected = "outside of all slices";
    }
    SECTION("an arrow that goes back") {
        event("t")["ts"] = 0;
        expected = "back in time";
    }
    SECTION("an arrow without a beginning") {
        events.erase(events.begin() + (&event("s") - &events[0]));
        expected = "one beginning";
    }
    SECTION("slices that overlap in part") {
        event("X")["dur"] = 300.0;
        expected = "overlaps the slice around it in part";
    }
    SECTION("a process without counters") {
        for (auto& each : events)
            if (each.at("ph") == "C") each["pid"] = 0;
        expected = "without counters";
    }
    const auto outcome = checked(broken.dump());
    CHECK(outcome.code == 1);
    CHECK_THAT(outcome.err, Contains(expected));
}

TEST_CASE("a node is a process with its host, and flights that overlap are on several threads") {
    const auto text = trace_json(example_records());
    CHECK(names(text, "process_name") ==
          std::map<Thread, std::string>{{{0, 0}, "node 0 on alpha, pid 100, 1 thread"},
                                        {{1, 0}, "node 1 on alpha, pid 101, 1 thread"}});
    const std::map<Thread, std::string> expected{{{0, 0}, "compute"},         {{0, 1}, "communication"},
                                                 {{0, 2}, "communication 2"}, {{1, 0}, "compute"},
                                                 {{1, 1}, "communication"},   {{1, 2}, "communication 2"}};
    CHECK(names(text, "thread_name") == expected);
    const auto other = json::parse(text).at("otherData");
    CHECK(other.at("name") == "example");
    CHECK(other.at("run_id") == "0123456789ab");
    CHECK(other.at("convoy") == "1.2.3");
    CHECK(other.at("nodes").at(1) == json{{"node", 1},
                                          {"host", "alpha"},
                                          {"pid", 101},
                                          {"threads", 1},
                                          {"clock_offset_start_us", -500.0},
                                          {"clock_offset_end_us", -500.0},
                                          {"clock_error_us", 10.0}});
}

TEST_CASE("all nodes stand on the launcher's clock, which begins at the first slice") {
    const auto text = trace_json(example_records());
    // Node 1's clock is 500 us ahead, and its slices began 500 us later on it.
    for (const auto node : {0, 1}) {
        const auto step = slice_of(text, node, "step 1");
        CHECK(step.at("ts") == 0.0);
        CHECK(step.at("dur") == 480.0);
        CHECK(step.at("args") == json{{"step", 1}, {"epoch", 1}, {"examples", 10 + 10 * node}});
    }
}

TEST_CASE("an operator has its layer in its name, and its kernel in its arguments") {
    const auto slice = slice_of(trace_json(example_records()), 0, "conv1 Conv2D");
    CHECK(
        slice.at("args") ==
        json{
            {"name", "conv1"}, {"operator", "_FusedConv2D"}, {"step", 1}, {"epoch", 1}, {"pass", "forward"}});
}

TEST_CASE("a pass holds its operators and the exchanges between them") {
    const auto text = trace_json(example_records());
    std::vector<std::tuple<std::string, double, double>> passes;
    for (const auto& slice : events_of(text, "X"))
        if (slice.at("cat") == "pass" && slice.at("pid") == 0)
            passes.emplace_back(slice.at("name"), slice.at("ts"), slice.at("dur"));
    CHECK(passes ==
          std::vector<std::tuple<std::string, double, double>>{
              {"forward", 5, 200}, {"backward", 205, 50}, {"communication", 255, 150}, {"update", 405, 70}});
}

TEST_CASE("readings of the traced time are counters") {
    const auto text = trace_json(example_records());
    std::vector<std::tuple<std::string, double, json>> found;
    for (const auto& event : events_of(text, "C"))
        if (event.at("pid") == 0) found.emplace_back(event.at("name"), event.at("ts"), event.at("args"));
    // The second reading tells of a time that begins behind the step. CPU is a mean of the time before.
    REQUIRE(found.size() == 3);
    CHECK(found[0] ==
          std::tuple(std::string("CPU (% of a core)"), 0.0, json{{"user", 90.0}, {"system", 10.0}}));
    CHECK(found[1] ==
          std::tuple(std::string("resident memory (bytes)"), 505.0, json{{"resident", 100'000'000}}));
    CHECK(found[2] ==
          std::tuple(std::string("network (bytes so far)"), 505.0, json{{"sent", 0}, {"received", 0}}));
}

TEST_CASE("readings before the first slice begin with it, or are no counters") {
    auto records = example_records();
    std::erase_if(records.system, [](const SystemSample& reading) { return reading.node != 0; });
    std::erase_if(records.trace, [](const TraceSlice& slice) { return slice.node != 0; });
    std::erase_if(records.summaries, [](const NodeSummary& summary) { return summary.node != 0; });
    records.system.at(0).clock_us = 10;
    records.system.at(1).clock_us = 1100;
    std::vector<std::pair<std::string, double>> found;
    for (const auto& event : events_of(trace_json(records), "C"))
        found.emplace_back(event.at("name"), event.at("ts"));
    CHECK(found == std::vector<std::pair<std::string, double>>{{"CPU (% of a core)", 0.0},
                                                               {"resident memory (bytes)", 105.0},
                                                               {"network (bytes so far)", 105.0}});
}

TEST_CASE("an offset that drifts is followed from the first slice to the last") {
    NodeRecords records;
    records.trace = {{0, "compute", "A", "a", 1, 1000, 0},
                     {0, "compute", "A", "a", 2, 2000, 0},
                     {0, "compute", "A", "a", 3, 3000, 0}};
    records.summaries.emplace_back().clock = {.start_us = 100, .end_us = 120, .round_trip_us = 1};
    const auto slices = events_of(trace_json(records), "X");
    CHECK(slices.at(1).at("ts") == 1010.0);
    CHECK(slices.at(2).at("ts") == 2020.0);
}

TEST_CASE("slices that touch do not overlap, on a clock with many digits and with a drift") {
    auto records = touching(1000, GENERATE(123456789012.345, 9876543210123.456));
    records.summaries.emplace_back().clock = {.start_us = 0.4567, .end_us = 7.1234, .round_trip_us = 1};
    const auto outcome = checked(trace_json(records));
    INFO(outcome.err);
    CHECK(outcome.code == 0);
}

TEST_CASE("slices of an older version have no passes and no arrows") {
    NodeRecords records;
    records.trace = {{0, "compute", "_FusedConv2D", "conv1", 1, 1000, 300},
                     {0, "compute", "CollectiveReduce", "b0", 1, 1300, 100},
                     {0, "communication", "CollectiveReduce", "b0", 1, 1200, 200}};
    records.system.push_back({0, 0.2, 90, 10, 1, 100, 0, 0, 60, 1000});
    const auto text = trace_json(records);
    CHECK(checked(text).err.empty());
    CHECK(events_of(text, "X").size() == 3);
    CHECK(slice_of(text, 0, "conv1 Conv2D").at("args") ==
          json{{"name", "conv1"}, {"operator", "_FusedConv2D"}, {"step", 1}});
}

TEST_CASE("a run without slices gives a trace that opens") {
    CHECK(events_of(trace_json({}), "X").empty());
    CHECK(checked(trace_json({})).err.empty());
}
TEST_CASE("the exchanges that a step leaves under way end in a slice of their own") {
    auto records = touching(10, 1000);
    records.trace.push_back({0, "compute", "Adam", "a", 1, 2000, 5, 1, "update"});
    records.trace.push_back({0, "step", "", "", 1, 1999, 10, 1, "", 0});
    const auto rest = slice_of(trace_json(records), 0, "rest of step 1");
    CHECK(rest.at("dur") == 10.0);
    CHECK(checked(trace_json(records)).err.empty());
}
