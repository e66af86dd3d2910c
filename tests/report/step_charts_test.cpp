#include "report/step_charts.hpp"

#include <catch2/catch.hpp>

using namespace convoy;
using Catch::Matchers::Contains;

namespace {

StepBreakdown many_nodes(std::int64_t count) {
    StepBreakdown breakdown;
    for (std::int64_t node = 0; node < count; ++node) {
        NodeStep step{.node = node, .step_us = 2000.0, .has_examples = true};
        step.parts[StepPart::dense] = node == 3 ? 1900.0 : 1000.0;
        step.parts[StepPart::slower_nodes] = 2000.0 - step.parts[StepPart::dense];
        breakdown.nodes.push_back(step);
    }
    return breakdown;
}

std::vector<std::string> labels(const RowChart& chart) {
    std::vector<std::string> all;
    for (const auto& row : chart.rows) all.push_back(row.label);
    return all;
}

}  // namespace

TEST_CASE("a node's bar is made of the parts of its step, in milliseconds") {
    const auto chart = step_parts_chart(many_nodes(2));
    CHECK(labels(chart) == std::vector<std::string>{"node 0", "node 1"});
    REQUIRE(chart.rows[0].pieces.size() == 2);
    CHECK(chart.rows[0].pieces[0].to == 1.0);
    CHECK(chart.rows[0].pieces[1].from == 1.0);
    CHECK(chart.rows[0].pieces[1].to == 2.0);
    CHECK(chart.rows[0].pieces[1].words == "exposed: slower nodes: 1 ms");
    CHECK(chart.rows[0].end == "2.00 ms");
    CHECK(chart.legend.size() == 2);
    CHECK(chart.x_title == "ms a step");
}

TEST_CASE("of many nodes there are the mean and those with the most work") {
    const auto chart = step_parts_chart(many_nodes(100));
    CHECK(chart.rows.size() == 24);
    CHECK(chart.rows[0].label == "mean");
    CHECK(chart.rows[0].pieces[0].to == Approx(1.009));
    CHECK_THAT(labels(chart), Catch::Matchers::VectorContains(std::string("node 3")));
}

TEST_CASE("of many exchanges there are the longest, and the sum of the others") {
    StepBreakdown breakdown;
    for (int i = 0; i < 30; ++i)
        breakdown.exchanges.push_back({.name = "bucket_" + std::to_string(i),
                                       .in_flight_us = 100.0 + i,
                                       .hidden_us = 50.0,
                                       .network_us = 1.0 + i});
    const auto chart = exchanges_chart(breakdown);
    CHECK(chart.rows.size() == 20);
    CHECK(chart.rows.front().label == "bucket_11");
    CHECK(chart.rows.back().label == "11 others");
    CHECK(chart.rows.back().pieces[0].to == 550.0);
    CHECK(chart.rows.front().end == "81% hidden");
    CHECK(chart.rows.front().pieces[0].words == "hidden: 50 µs");
}

TEST_CASE("a wait is for slower nodes until the last node has begun the exchange") {
    const StepTimeLine line{
        .step = 6,
        .lanes = {
            {.node = 0, .computes = true, .pieces = {{100, 900, "Reduce", "a"}, {900, 950, "Reduce", "b"}}},
            {.node = 0, .computes = false, .pieces = {{80, 900, "Reduce", "a"}}},
            {.node = 1, .computes = true, .pieces = {{600, 900, "Reduce", "a"}}},
            {.node = 1, .computes = false, .pieces = {{600, 900, "Reduce", "a"}}}}};
    std::vector<OperatorRecord> operators(2);
    for (auto& row : operators) {
        row.operator_name = "Reduce";
        row.pass = "communication";
    }
    operators[0].name = "a";
    operators[1].name = "b";
    const auto chart = time_line_chart(line, operators, 400.0);
    const auto& row = chart.rows[0].pieces;
    REQUIRE(row.size() == 3);
    CHECK(row[0].tone == tone_of_part(StepPart::slower_nodes));
    CHECK(row[0].to == 600.0);
    CHECK(row[1].tone == tone_of_part(StepPart::network));
    CHECK(row[2].tone == tone_of_part(StepPart::network));
    CHECK(chart.rows[2].pieces.size() == 1);
    auto twice = line;
    twice.lanes[3].pieces.push_back({900, 950, "Reduce", "a"});
    CHECK(time_line_chart(twice, operators, 400.0).rows[0].pieces[0].tone == tone_of_part(StepPart::network));
}

TEST_CASE("pieces of a time-line that are too narrow are drawn together") {
    StepTimeLine line{.step = 6, .lanes = {{.node = 0, .computes = true, .pieces = {}}}};
    auto& pieces = line.lanes[0].pieces;
    pieces.push_back({0, 500, "Conv2D", "c"});
    for (int i = 0; i < 1000; ++i) {
        const double from = 500.0 + 0.5 * i;
        pieces.push_back({from, from + 0.5, i % 3 == 0 ? "Conv2D" : "MatMul", i % 3 == 0 ? "c" : "d"});
    }
    line.lanes.push_back(
        {.node = 0, .computes = false, .pieces = {{100, 200, "CollectiveReduce", "bucket_0"}}});
    std::vector<OperatorRecord> operators(2);
    operators[0].operator_name = "Conv2D";
    operators[0].name = "c";
    operators[0].pass = "forward";
    operators[1].operator_name = "MatMul";
    operators[1].name = "d";
    const auto chart = time_line_chart(line, operators, 400.0);
    REQUIRE(chart.rows.size() == 2);
    const auto& row = chart.rows[0].pieces;
    CHECK(row.size() > 50);
    CHECK(row.size() < 300);
    CHECK(row[0].tone == tone_of_part(StepPart::convolution_forward));
    CHECK(row[0].to == 0.5);
    CHECK(row[0].words == "Conv2D c: 0.5 ms");
    // The colour is that of the longest time in it.
    CHECK(row[1].tone == tone_of_part(StepPart::dense));
    CHECK_THAT(row[1].words, Contains("operators: "));
    CHECK(row.back().to == Approx(1.0));
    CHECK(chart.rows[1].pieces[0].tone == Tone::ink);
    CHECK(chart.rows[1].label.empty());
    CHECK_THAT(chart.description, Contains("Step 6, of median length"));
}
