#include "measure/records_json.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "measure/summary_example.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

namespace {

/// Every field differs from its default and from its neighbours.
NodeRecords example() {
    OperatorRecord conv{1,   2, RunPhase::evaluate, "Conv2D", "conv1", "_FusedConv2D", 3, 4.5, 5.5, 6.5,
                        7.5, {}};
    OperatorRecord reduce{1, 2, RunPhase::train, "CollectiveReduce", "b0", {}, 3, 4.5, 5.5, 6.5, 7.5, {}};
    reduce.communication = CommunicationTimes{1.25, 2.25, 3.25, 4.25, 5.25};
    conv.pass = "forward";
    conv.kind = "conv2d";
    conv.work = WorkDone{1, 2, 3};
    NodeRecords records;
    records.operators = {conv, reduce};
    records.steps = {{1, 2, 3, 0.1, 4, 5, 6.5, 7.5, 8.5},
                     {1, 2, 4, 0.2, 5, 6, 7.5, 8.5, 9.5, 10.5},
                     {1, 2, 5, 0.2, 5, 6, 7.5, 8.5, 9.5, {}, 11.5},
                     {1, 2, 6, 0.2, 5, 6, 7.5, 8.5, 9.5, {}, {}, 12.5}};
    records.epochs = {{1, 2, {3.5, 4, 5}, {6.5, 7, 8}, {9.5, 10, 11}, 12.5, 13.5}};
    records.system = {{1, 2.5, 3.5, 4.5, 5.5, 6, 7, 8}, {1, 2.5, 3.5, 4.5, 5.5, 6, 7, 8, {}, 9.5}};
    records.trace = {
        {1, "compute", "Conv2D", "conv1", 2, 3.5, 4.5, 5, "forward"},
        {1, "step", "", "", 2, 3.5, 4.5, 5, "", 6},
        {1,
         "communication",
         "Push",
         "b0",
         2,
         3.5,
         4.5,
         5,
         "communication",
         {},
         SliceExchange{ExchangePart::flight, 6, {"push", "ring", "int64", 7, 8}, 9, 10, 11.5, 12.5}}};
    records.summaries = {summary_example()};
    records.updates = {{1, 2, 3, 4, 5, 6, 7}, {2, 3, 4, 5, 6, 7, 8}};
    return records;
}

NodeRecords through_cbor(const NodeRecords& records) {
    return records_from_json(nlohmann::json::from_cbor(nlohmann::json::to_cbor(records_to_json(records))));
}

}  // namespace

TEST_CASE("records taken in pieces add up to what they were") {
    for (const std::size_t rows : {1, 2, 3, 100}) {
        auto left = example();
        NodeRecords together;
        while (!left.empty()) {
            auto piece = left.take_first(rows);
            CHECK(piece.operators.size() + piece.steps.size() + piece.epochs.size() + piece.system.size() +
                      piece.trace.size() + piece.summaries.size() + piece.updates.size() <=
                  rows);
            together.append(std::move(piece));
        }
        CHECK(together == example());
    }
}

TEST_CASE("records come back from CBOR as they went in") {
    CHECK(through_cbor(example()) == example());
    CHECK(through_cbor({}) == NodeRecords{});
}

TEST_CASE("the least and the largest values come back") {
    NodeRecords records;
    records.steps = {{0, 0, std::numeric_limits<std::int64_t>::max(), -1e300, 0, 0, 1e-300, 0.0, 1e300}};
    CHECK(through_cbor(records) == records);
}

TEST_CASE("bytes that nobody counted come back as such") {
    NodeRecords records;
    auto& sample = records.system.emplace_back();
    auto& summary = records.summaries.emplace_back();
    auto& exchange = records.trace.emplace_back().exchange.emplace();
    for (auto* bytes : {&sample.sent_bytes, &sample.received_bytes, &summary.sent_bytes,
                        &summary.received_bytes, &exchange.sent_bytes, &exchange.received_bytes})
        bytes->reset();
    CHECK(through_cbor(records) == records);
}

TEST_CASE("a loss that is not a number comes back as one") {
    NodeRecords records;
    records.steps.resize(1);
    records.steps[0].loss = std::numeric_limits<double>::quiet_NaN();
    CHECK(std::isnan(through_cbor(records).steps.at(0).loss));
}

TEST_CASE("the times of operators come back, and what are none is refused") {
    OperatorTimes reduce{RunPhase::checkpoint, "CollectiveReduce", "b0", 4.0, {1.5F, 2.5F}, {}};
    reduce.communication = CommunicationTimes{1.25, 2.25, 3.25, 4.25, 5.25};
    const std::vector<OperatorTimes> times{{RunPhase::train, "Conv2D", "conv1", 0.5, {0.5F}, {}}, reduce};
    const auto json = operator_times_to_json(times);
    CHECK(operator_times_from_json(nlohmann::json::from_cbor(nlohmann::json::to_cbor(json))) == times);
    const auto problem = [&json](const char* pointer, const nlohmann::json& value) -> std::string {
        auto changed = json;
        changed[nlohmann::json::json_pointer(pointer)] = value;
        try {
            operator_times_from_json(changed);
        } catch (const DataError& error) {
            return error.what();
        }
        return "accepted";
    };
    CHECK(problem("/0/4/0", 0.75) == "accepted");
    CHECK_THAT(problem("/0/4/0", -0.5), Contains("times[0].durations_us: duration_us"));
    CHECK_THAT(problem("/0/4/0", 1e200), Contains("times[0].durations_us: duration_us"));
    CHECK_THAT(problem("/0/4", 7), Contains("times[0]: durations_us: expected a list"));
    CHECK_THAT(problem("/1/0", 3), Contains("times[1]: phase"));
    CHECK_THROWS_AS(operator_times_from_json(nlohmann::json(3)), DataError);
}

TEST_CASE("operators of older versions, without kind and work, are read") {
    const auto older = [](nlohmann::json list) {
        for (auto& row : list)
            row.erase(row.begin() + static_cast<std::ptrdiff_t>(row.size()) - 3, row.end());
        return list;
    };
    const std::vector<OperatorTimes> times{{RunPhase::train, "Conv2D", "conv1", 0.5, {0.5F}, {}}};
    CHECK(operator_times_from_json(older(operator_times_to_json(times))) == times);
    auto records = example();
    auto json = records_to_json(records);
    json["operators"] = older(json["operators"]);
    for (auto& row : records.operators) {
        row.pass = row.kind = "";
        row.work.reset();
    }
    CHECK(records_from_json(json) == records);
    json["operators"][0].push_back("forward");
    CHECK_THROWS_AS(records_from_json(json), DataError);
}

TEST_CASE("an operator's work is three counts") {
    const std::vector<OperatorTimes> times{
        {RunPhase::train, "Conv2D", "conv1", 0.5, {0.5F}, {}, "forward", "conv2d", WorkDone{5, 6, 7}}};
    auto json = operator_times_to_json(times);
    CHECK(operator_times_from_json(json) == times);
    json[0][8][1] = -1;
    CHECK_THROWS_WITH(operator_times_from_json(json), Contains("times[0].work: read_bytes"));
}

TEST_CASE("slices and readings of older versions are read") {
    auto old = records_to_json(example());
    old["trace"] = nlohmann::json::parse(R"([[1, "compute", "Conv2D", "conv1", 2, 3.5, 4.5]])");
    old["system"] =
        nlohmann::json::parse(R"([[1, 2.5, 3.5, 4.5, 5.5, 6, 7, 8], [1, 2.5, 3.5, 4.5, 5.5, 6, 7, 8, 9.5],
                                  [1, 2.5, 3.5, 4.5, 5.5, 6, 7, 8, 9.5, 10.5]])");
    const auto read = records_from_json(old);
    CHECK(read.trace == std::vector<TraceSlice>{{1, "compute", "Conv2D", "conv1", 2, 3.5, 4.5}});
    CHECK(read.system == std::vector<SystemSample>{{1, 2.5, 3.5, 4.5, 5.5, 6, 7, 8},
                                                   {1, 2.5, 3.5, 4.5, 5.5, 6, 7, 8, 9.5},
                                                   {1, 2.5, 3.5, 4.5, 5.5, 6, 7, 8, 9.5, 10.5}});
}

TEST_CASE("a reading comes back whatever it lacks") {
    NodeRecords records;
    for (const bool has_idle : {false, true})
        for (const bool has_clock : {false, true})
            for (const bool has_memory : {false, true}) {
                auto& sample = records.system.emplace_back();
                if (has_idle) sample.cpu_idle_pct = 9.5;
                if (has_clock) sample.clock_us = 10.5;
                if (has_memory) sample.machine_used_bytes = 11;
            }
    CHECK(records_from_json(records_to_json(records)) == records);
}

TEST_CASE("append moves records behind, kind by kind") {
    auto records = example();
    records.append(example());
    CHECK(records.operators.size() == 4);
    CHECK(records.steps.size() == 8);
    CHECK(records.epochs.size() == 2);
    CHECK(records.system.size() == 4);
    CHECK(records.trace.size() == 6);
    CHECK(records.summaries.size() == 2);
    CHECK(records.operators[2] == example().operators[0]);
}

TEST_CASE("what is no record is refused with list, record and field") {
    const auto good = records_to_json(example());
    const auto problem = [&good](const char* pointer, const nlohmann::json& value) -> std::string {
        auto json = good;
        json[nlohmann::json::json_pointer(pointer)] = value;
        try {
            records_from_json(json);
        } catch (const DataError& error) {
            return error.what();
        }
        return "accepted";
    };
    CHECK(problem("/steps/0/3", 0.5) == "accepted");
    CHECK_THAT(problem("/steps/0/3", "x"), Contains("steps[0]: loss: expected a number"));
    CHECK_THAT(problem("/steps/0/2", -1), Contains("steps[0]: step: expected an integer of at least 0"));
    CHECK_THAT(problem("/steps/0/2", 18446744073709551615ULL), Contains("steps[0]: step"));
    CHECK_THAT(problem("/steps/0/2", 1.5), Contains("steps[0]: step"));
    CHECK_THAT(problem("/steps/0/6", std::numeric_limits<double>::infinity()), Contains("steps[0]: step_us"));
    CHECK_THAT(problem("/steps/0", nlohmann::json::array({1, 2})),
               Contains("steps[0]: expected a list of 9 values"));
    CHECK_THAT(problem("/steps", 7), Contains("steps: expected a list"));
    CHECK_THAT(problem("/more", 7), Contains("six lists"));
    CHECK_THAT(problem("/operators/0/2", 3), Contains("operators[0]: phase: expected 0, 1 or 2"));
    CHECK_THAT(problem("/operators/0/4", std::string(1001, 'x')), Contains("operators[0]: name"));
    CHECK_THAT(problem("/operators/1/11", nlohmann::json::array({1, 2, 3})),
               Contains("operators[1].communication"));
    CHECK_THAT(problem("/epochs/0/2/1", nullptr), Contains("epochs[0].train: correct"));
    CHECK_THAT(problem("/summaries/0/1", 2'000'000), Contains("summaries[0]: threads"));
    CHECK_THAT(problem("/trace/0/5", -1.0), Contains("trace[0]: start_us"));
    CHECK_THAT(problem("/trace/2/10/0", 3), Contains("trace[2].exchange: part: expected 0, 1 or 2"));
    CHECK_THAT(problem("/trace/2/10/7", -1), Contains("trace[2].exchange: sent_bytes"));
    CHECK_THAT(problem("/trace/2/10", nlohmann::json::array({1})), Contains("trace[2].exchange"));
    CHECK_THAT(problem("/system/1/9", "x"), Contains("system[1]: clock_us"));
    CHECK_THROWS_AS(records_from_json(nlohmann::json(3)), DataError);
}
