#include "report/step_breakdown.hpp"

#include <catch2/catch.hpp>

#include "example_run.hpp"

using namespace convoy;

namespace {

/// Adds a row of training.
OperatorRecord& add_row(RunResults& results, std::int64_t node, const char* operator_name, const char* pass,
                        const char* kind, double total_us) {
    OperatorRecord row;
    row.node = node;
    row.operator_name = operator_name;
    row.name = operator_name;
    row.pass = pass;
    row.kind = kind;
    row.total_us = total_us;
    return results.operators.emplace_back(row);
}

void add_step(RunResults& results, std::int64_t node, std::int64_t step, double step_us,
              std::int64_t examples = 8) {
    StepRecord row;
    row.node = node;
    row.step = step;
    row.step_us = step_us;
    row.examples = examples;
    results.steps.push_back(row);
}

StepPart part_of(const char* operator_name, const char* pass, const char* kind) {
    RunResults results;
    return step_part_of(add_row(results, 0, operator_name, pass, kind, 1.0));
}

}  // namespace

TEST_CASE("each operator belongs to a part of the step") {
    CHECK(part_of("_FusedConv2D", "forward", "fused_conv2d") == StepPart::convolution_forward);
    CHECK(part_of("Conv2DBackpropInput", "backward", "conv2d_backprop_input") ==
          StepPart::convolution_backward);
    CHECK(part_of("_Reorder", "forward", "fused_conv2d") == StepPart::convolution_forward);
    CHECK(part_of("MatMul", "backward", "matmul_backprop_weight") == StepPart::dense);
    CHECK(part_of("MaxPool", "forward", "max_pool") == StepPart::other);
    CHECK(part_of("ResourceApplyAdam", "update", "apply_adam") == StepPart::update);
    CHECK(part_of("Dataset", "input", "dataset") == StepPart::data);
    // The records of older versions have neither pass nor kind.
    CHECK(part_of("Conv2D", "", "") == StepPart::convolution_forward);
    CHECK(part_of("Conv2DBackpropFilter", "", "") == StepPart::convolution_backward);
    CHECK(part_of("_FusedMatMul", "", "") == StepPart::dense);
    CHECK(part_of("ResourceApplyAdam", "", "") == StepPart::update);
}

TEST_CASE("the parts of a step add up to the step") {
    RunResults results;
    for (const std::int64_t step : {1, 2}) add_step(results, 0, step, 1000.0);
    add_row(results, 0, "_FusedConv2D", "forward", "fused_conv2d", 600.0);
    add_row(results, 0, "CollectiveReduceStart", "communication", "exchange_start", 40.0);
    add_row(results, 0, "CollectiveReduce", "communication", "exchange_wait", 360.0).communication =
        CommunicationTimes{.in_flight_us = 1000,
                           .hidden_us = 500,
                           .exposed_us = 400,
                           .skew_us = 300,
                           .exposed_skew_us = 100};
    add_row(results, 0, "Dataset", "input", "dataset", 200.0);
    add_row(results, 0, "Relu", "forward", "relu", 100.0).folded_into = "_FusedConv2D";
    add_row(results, 0, "Conv2D", "forward", "conv2d", 5000.0).phase = RunPhase::evaluate;
    add_row(results, 7, "Conv2D", "forward", "conv2d", 5000.0);  // of a node without steps
    const auto breakdown = step_breakdown(results);
    REQUIRE(breakdown.nodes.size() == 1);
    const auto& node = breakdown.nodes[0];
    CHECK(node.step_us == 1000.0);
    CHECK(node.has_examples);
    CHECK(node.parts[StepPart::convolution_forward] == 300.0);
    CHECK(node.parts[StepPart::network] == 150.0);
    CHECK(node.parts[StepPart::slower_nodes] == 50.0);
    CHECK(node.parts[StepPart::data] == 100.0);
    CHECK(node.parts[StepPart::rest] == 400.0);
    CHECK(node.parts.computation_us() == 300.0);
    CHECK(node.own_us() == 800.0);
    REQUIRE(breakdown.exchanges.size() == 1);
    CHECK(breakdown.exchanges[0].in_flight_us == 500.0);
    CHECK(breakdown.exchanges[0].hidden_us == 250.0);
    CHECK(breakdown.exchanges[0].network_us == 150.0);
    CHECK(breakdown.exchanges[0].slower_nodes_us == 50.0);
}

TEST_CASE("an exchange is the mean of the nodes that take part in it") {
    RunResults results;
    for (const std::int64_t node : {0, 1, 2}) add_step(results, node, 1, 1000.0, node < 2 ? 8 : 0);
    for (const std::int64_t node : {0, 1}) {
        add_row(results, node, "Send", "communication", "exchange_wait", 0.0).communication =
            CommunicationTimes{.in_flight_us = 100.0 + 100.0 * static_cast<double>(node)};
    }
    const auto breakdown = step_breakdown(results);
    REQUIRE(breakdown.exchanges.size() == 1);
    CHECK(breakdown.exchanges[0].in_flight_us == 150.0);
    CHECK_FALSE(breakdown.nodes.at(2).has_examples);
}

TEST_CASE("of results with each fourth step, a step counts for four") {
    RunResults results;
    results.step_stride = 4;
    for (const std::int64_t step : {4, 8}) add_step(results, 0, step, 100.0);
    add_row(results, 0, "MatMul", "forward", "matmul", 480.0);
    const auto breakdown = step_breakdown(results);
    CHECK(breakdown.nodes.at(0).step_us == 100.0);
    CHECK(breakdown.nodes.at(0).parts[StepPart::dense] == 60.0);
}

TEST_CASE("operators may be measured longer than their steps") {
    RunResults results;
    add_step(results, 0, 1, 100.0);
    add_row(results, 0, "MatMul", "forward", "matmul", 101.0);
    CHECK(step_breakdown(results).nodes.at(0).parts[StepPart::rest] == 0.0);
    CHECK(step_breakdown({}).nodes.empty());
    CHECK(step_breakdown(example_results()).nodes.size() == 2);
}

TEST_CASE("a node that was lost before it told its operators has no part in the mean step") {
    RunResults results;
    for (const std::int64_t node : {0, 1}) add_step(results, node, 1, 1000.0);
    CHECK(step_breakdown(results).nodes.size() == 2);  // no node has told any yet
    add_row(results, 0, "_FusedConv2D", "forward", "fused_conv2d", 900.0);
    const auto breakdown = step_breakdown(results);
    REQUIRE(breakdown.nodes.size() == 1);
    CHECK(breakdown.nodes[0].node == 0);
}
