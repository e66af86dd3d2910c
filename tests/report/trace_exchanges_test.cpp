// Arrows and the times of exchanges in a trace.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "trace_text.hpp"

using namespace convoy;
using namespace convoy::test;
using nlohmann::json;

TEST_CASE("an exchange tells how it went, and what of its wait was skew") {
    const auto text = trace_json(example_records());
    const json common{
        {"name", "bucket0"},      {"step", 1},  {"epoch", 1}, {"verb", "all_reduce"}, {"algorithm", "ring"},
        {"wire_type", "float32"}, {"ranks", 2}, {"call", 1},  {"sent_bytes", 64},     {"received_bytes", 32}};
    const auto expect = [&](const std::string& slice, json more) {
        more.update(common);
        CHECK(slice_of(text, 0, slice).at("args") == more);
    };
    expect("bucket0 CollectiveReduceStart",
           {{"operator", "CollectiveReduceStart"}, {"pass", "communication"}, {"part", "start"}});
    expect("bucket0 CollectiveReduce", {{"operator", "CollectiveReduce"},
                                        {"part", "flight"},
                                        {"in_flight_us", 178.0},
                                        {"queued_us", 8.0},
                                        {"skew_us", 90.0}});
    // The wait began at 1300; no peer had begun before 1320.
    expect("bucket0 CollectiveReduce wait", {{"operator", "CollectiveReduce"},
                                             {"pass", "communication"},
                                             {"part", "wait"},
                                             {"exposed_us", 105.0},
                                             {"exposed_skew_us", 20.0}});
    std::set<std::tuple<std::int64_t, double, double>> skews;
    for (const auto& slice : events_of(text, "X"))
        if (slice.at("name") == "skew" && slice.at("pid") == 0)
            skews.emplace(slice.at("tid"), slice.at("ts"), slice.at("dur"));
    CHECK(skews == std::set<std::tuple<std::int64_t, double, double>>{{0, 305, 20}, {1, 235, 90}});
}

TEST_CASE("arrows go from start over flight to wait, and from rank to rank") {
    const auto text = trace_json(example_records());
    std::map<std::int64_t, std::vector<std::tuple<std::string, std::int64_t, std::int64_t, double>>> arrows;
    for (const auto* kind : {"s", "t", "f"})
        for (const auto& event : events_of(text, kind))
            arrows[event.at("id")].emplace_back(kind, event.at("pid"), event.at("tid"), event.at("ts"));
    using Arrow = std::vector<std::tuple<std::string, std::int64_t, std::int64_t, double>>;
    std::vector<Arrow> found;
    for (const auto& [id, arrow] : arrows) found.push_back(arrow);
    CHECK(found.size() == 6);
    CHECK(std::ranges::count(found, Arrow{{"s", 0, 0, 225}, {"t", 0, 1, 227}, {"f", 0, 0, 305}}) == 1);
    CHECK(std::ranges::count(found, Arrow{{"s", 0, 1, 227}, {"f", 1, 1, 227}}) == 1);
}

TEST_CASE("a send points at its receive, whichever rank is lower") {
    NodeRecords records;
    const auto add = [&](std::int64_t node, const char* verb, double start_us, double duration_us) {
        records.trace.push_back({node,
                                 "communication",
                                 "Send",
                                 "m",
                                 1,
                                 start_us,
                                 duration_us,
                                 1,
                                 "",
                                 {},
                                 SliceExchange{ExchangePart::flight, 1, {verb, "", "float32", 2, 1 - node}}});
        records.system.push_back({node, 0.2, 90, 10, 1, 100, 0, 0, 60, start_us});
    };
    std::int64_t from = 0;
    SECTION("both at once") {
        add(0, "receive", 100, 50);
        add(1, "send", 110, 5);
        from = 1;
    }
    SECTION("the send first") {
        add(0, "send", 100, 5);
        add(1, "receive", 200, 50);
    }
    SECTION("clocks that do not agree: still no arrow back in time") {
        add(0, "receive", 100, 50);
        add(1, "send", 200, 5);
    }
    const auto text = trace_json(records);
    const auto outcome = checked(text);
    CHECK(outcome.err.empty());
    REQUIRE(events_of(text, "s").size() == 1);
    CHECK(events_of(text, "s").at(0).at("pid") == from);
    CHECK(events_of(text, "f").at(0).at("pid") == 1 - from);
}
