#include "report/trace.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "example_run.hpp"

using namespace convoy;
using nlohmann::json;

namespace {

using Thread = std::pair<std::int64_t, std::int64_t>;

struct Trace {
    std::map<std::int64_t, std::string> processes;
    std::map<Thread, std::string> threads;
    std::vector<json> slices;
};

/// Takes a trace apart as a viewer does.
Trace viewed(const std::string& text) {
    Trace trace;
    const auto parsed = json::parse(text);
    for (const auto& event : parsed.at("traceEvents")) {
        const auto process = event.at("pid").get<std::int64_t>();
        const Thread thread(process, event.at("tid").get<std::int64_t>());
        if (event.at("ph") == "X") trace.slices.push_back(event);
        if (event.at("name") == "process_name") trace.processes[process] = event.at("args").at("name");
        if (event.at("name") == "thread_name") trace.threads[thread] = event.at("args").at("name");
    }
    return trace;
}

/// The trace of slices of several nodes.
std::string trace_json(const std::vector<TraceSlice>& slices, const std::vector<NodeSummary>& summaries) {
    std::map<std::int64_t, std::vector<TraceSlice>> by_node;
    for (const auto& slice : slices) by_node[slice.node].push_back(slice);
    std::vector<std::int64_t> nodes;
    for (const auto& [node, own] : by_node) nodes.push_back(node);
    std::string text;
    write_trace_json(
        nodes, [&by_node](std::int64_t node) { return by_node.at(node); }, summaries,
        [&text](std::string_view piece) { text += piece; });
    return text;
}

/// Whether each slice ends before the next of its thread begins, in nanoseconds.
bool apart(const Trace& trace) {
    std::map<Thread, std::int64_t> ends;
    for (const auto& slice : trace.slices) {
        const Thread thread(slice.at("pid").get<std::int64_t>(), slice.at("tid").get<std::int64_t>());
        const auto start = std::llround(slice.at("ts").get<double>() * 1e3);
        if (ends.contains(thread) && start < ends[thread]) return false;
        ends[thread] = start + std::llround(slice.at("dur").get<double>() * 1e3);
    }
    return true;
}

}  // namespace

TEST_CASE("a trace has a process per node and a thread per track, and what overlaps is apart") {
    const auto run = example_run();
    const auto trace = viewed(trace_json(run.records.trace, run.records.summaries));
    CHECK(trace.processes == std::map<std::int64_t, std::string>{{0, "node 0"}, {1, "node 1"}});
    const std::map<Thread, std::string> expected{{{0, 0}, "compute"},         {{0, 1}, "communication"},
                                                 {{0, 2}, "communication 2"}, {{1, 0}, "compute"},
                                                 {{1, 1}, "communication"},   {{1, 2}, "communication 2"}};
    CHECK(trace.threads == expected);
    REQUIRE(trace.slices.size() == run.records.trace.size());
    for (const auto& slice : trace.slices) {
        CHECK(trace.threads.contains(
            {slice.at("pid").get<std::int64_t>(), slice.at("tid").get<std::int64_t>()}));
    }
    CHECK(apart(trace));
}

TEST_CASE("all nodes stand on the launcher's clock, which begins at the first slice") {
    const auto run = example_run();
    const auto trace = viewed(trace_json(run.records.trace, run.records.summaries));
    // Node 1's clock is 500 us ahead, and its slices began 500 us later on it.
    std::map<std::int64_t, double> first;
    for (const auto& slice : trace.slices) first.try_emplace(slice.at("pid"), slice.at("ts"));
    CHECK(first == std::map<std::int64_t, double>{{0, 0.0}, {1, 0.0}});
    CHECK(trace.slices.at(0).at("dur") == 300.0);
    CHECK(trace.slices.at(0).at("name") == "_FusedConv2D");
    CHECK(trace.slices.at(0).at("args") == json{{"name", "conv1"}, {"step", 1}});
}

TEST_CASE("an offset that drifts is followed from the first slice to the last") {
    std::vector<TraceSlice> slices{{0, "compute", "A", "a", 1, 1000, 0},
                                   {0, "compute", "A", "a", 2, 2000, 0},
                                   {0, "compute", "A", "a", 3, 3000, 0}};
    NodeSummary node;
    node.clock = {.start_us = 100, .end_us = 120, .round_trip_us = 1};
    const auto trace = viewed(trace_json(slices, {node}));
    CHECK(trace.slices.at(1).at("ts") == 1010.0);
    CHECK(trace.slices.at(2).at("ts") == 2020.0);
}

TEST_CASE("slices that touch share a thread, on a clock with many digits") {
    std::vector<TraceSlice> slices;
    double start = 123456789012.345;
    for (int i = 0; i < 1000; ++i) {
        slices.push_back({0, "compute", "A", "a", 1, start, 0.1 * (1 + i % 7)});
        start += slices.back().duration_us;
    }
    const auto trace = viewed(trace_json(slices, {}));
    CHECK(trace.threads.size() == 1);
    CHECK(apart(trace));
}

TEST_CASE("a run without slices gives a trace that opens") {
    CHECK(viewed(trace_json({}, {})).slices.empty());
}
