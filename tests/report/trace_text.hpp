#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/run_program.hpp"
#include "example_run.hpp"
#include "report/trace.hpp"

namespace convoy::test {

using nlohmann::json;

/// Process and thread of an event.
using Thread = std::pair<std::int64_t, std::int64_t>;

/// The trace of these records, as the run folder has it.
inline std::string trace_json(const NodeRecords& records) {
    const auto nodes = by_node(records);
    TraceSource source;
    source.name = "example";
    source.run_id = "0123456789ab";
    source.version = "1.2.3";
    for (const auto& [node, own] : nodes) {
        auto& described = source.nodes.emplace_back();
        described.node = node;
        if (own.summaries.empty()) continue;
        described.clock = own.summaries[0].clock;
        described.threads = own.summaries[0].threads;
        described.host = "alpha";
        described.pid = 100 + node;
    }
    source.slices_of = [&](std::int64_t node) { return nodes.at(node).trace; };
    source.readings_of = [&](std::int64_t node, const std::function<void(const SystemSample&)>& take) {
        std::ranges::for_each(nodes.at(node).system, take);
    };
    std::string text;
    write_trace_json(source, [&text](std::string_view piece) { text += piece; });
    return text;
}

/// The example with times of its readings: each is 500 us behind the beginning of its node's step.
inline NodeRecords example_records() {
    auto records = example_run().records;
    for (auto& reading : records.system)
        reading.clock_us = 1500.0 + 500.0 * static_cast<double>(reading.node) + (reading.time_s - 0.2) * 1e6;
    return records;
}

/// The events of one kind.
inline std::vector<json> events_of(const std::string& text, const char* kind) {
    std::vector<json> found;
    const auto trace = json::parse(text);
    for (const auto& event : trace.at("traceEvents"))
        if (event.at("ph") == kind) found.push_back(event);
    return found;
}

inline Thread thread_of(const json& event) {
    return {event.at("pid").get<std::int64_t>(), event.at("tid").get<std::int64_t>()};
}

/// The names of processes or threads.
inline std::map<Thread, std::string> names(const std::string& text, const char* of) {
    std::map<Thread, std::string> found;
    for (const auto& event : events_of(text, "M"))
        if (event.at("name") == of) found[thread_of(event)] = event.at("args").at("name");
    return found;
}

/// The slice of this name on a node.
inline json slice_of(const std::string& text, std::int64_t node, const std::string& name) {
    for (const auto& slice : events_of(text, "X"))
        if (slice.at("pid") == node && slice.at("name") == name) return slice;
    FAIL("no slice " << name);
    return {};
}

inline ProgramOutcome checked(const std::string& text) {
    return run_program({"python3", CHECK_TRACE}, text, std::chrono::seconds(60));
}

}  // namespace convoy::test
