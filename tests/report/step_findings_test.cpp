#include "report/step_findings.hpp"

#include <catch2/catch.hpp>

using namespace convoy;

namespace {

NodeStep node_step(std::int64_t node, double dense_us, double network_us, double slower_us, double data_us) {
    NodeStep step{.node = node, .step_us = 1000.0, .has_examples = true};
    step.parts[StepPart::dense] = dense_us;
    step.parts[StepPart::network] = network_us;
    step.parts[StepPart::slower_nodes] = slower_us;
    step.parts[StepPart::data] = data_us;
    return step;
}

Limit limit_of(const NodeStep& node) {
    return step_findings({.nodes = {node}, .exchanges = {}})->limit;
}

}  // namespace

TEST_CASE("the largest share of the step time limits a run") {
    CHECK(limit_of(node_step(0, 500, 100, 200, 100)) == Limit::computation);
    CHECK(limit_of(node_step(0, 100, 500, 200, 100)) == Limit::network);
    CHECK(limit_of(node_step(0, 100, 200, 500, 100)) == Limit::slower_nodes);
    CHECK(limit_of(node_step(0, 100, 200, 300, 400)) == Limit::data);
    const auto found = step_findings(
        {.nodes = {node_step(0, 500, 100, 0, 0), node_step(1, 300, 40, 60, 0)}, .exchanges = {}});
    CHECK(found->computation_pct == Approx(40.0));
    CHECK(found->network_pct == Approx(7.0));
    CHECK(found->slower_nodes_pct == Approx(3.0));
    CHECK(found->limit_pct() == Approx(40.0));
    CHECK_FALSE(step_findings({}).has_value());
    auto between = node_step(0, 100, 0, 0, 0);
    between.parts[StepPart::rest] = 900;
    CHECK(limit_of(between) == Limit::between_operators);
    CHECK(limit_name(Limit::between_operators) == "work between operators");
}

TEST_CASE("the slowest node is the one that works longest without waiting for others") {
    const auto slow = step_findings(
        {.nodes = {node_step(0, 500, 0, 400, 0), node_step(1, 800, 0, 100, 0), node_step(2, 500, 0, 380, 0)},
         .exchanges = {}});
    REQUIRE(slow->slowest);
    CHECK(slow->slowest->node == 1);
    CHECK(slow->slowest->own_us == 900.0);
    CHECK(slow->slowest->others_us == Approx(610.0));
    CHECK(slow->slowest->more_pct() == Approx(100.0 * (900.0 / 610.0 - 1.0)));
    CHECK(slow->slowest->stands_out());
    const auto even = step_findings(
        {.nodes = {node_step(0, 500, 0, 100, 0), node_step(1, 500, 0, 110, 0)}, .exchanges = {}});
    CHECK_FALSE(even->slowest->stands_out());
    CHECK_FALSE(step_findings({.nodes = {node_step(0, 500, 0, 0, 0)}, .exchanges = {}})->slowest);
}

TEST_CASE("a node that makes the others wait limits a run, although its own step is all computation") {
    const auto found = step_findings(
        {.nodes = {node_step(0, 330, 50, 610, 0), node_step(1, 950, 30, 0, 0)}, .exchanges = {}});
    CHECK(found->limit == Limit::slower_nodes);
    CHECK(found->slower_nodes_pct == Approx(61.0));
    CHECK(found->computation_pct == Approx(33.0));
    CHECK(found->limit_text() == "waiting for node 1");
    const auto even = step_findings(
        {.nodes = {node_step(0, 200, 50, 710, 0), node_step(1, 200, 30, 730, 0)}, .exchanges = {}});
    CHECK(even->limit_text() == "waiting for slower nodes");
}

TEST_CASE("servers are not compared with the nodes that train") {
    auto server = node_step(1, 100, 0, 0, 0);
    server.has_examples = false;
    const auto found = step_findings({.nodes = {node_step(0, 500, 0, 400, 0), server}, .exchanges = {}});
    CHECK_FALSE(found->slowest);
    auto waiting = node_step(1, 0, 1000, 0, 0);
    waiting.has_examples = false;
    const auto beside = step_findings({.nodes = {node_step(0, 500, 400, 0, 0), waiting}, .exchanges = {}});
    CHECK(beside->limit == Limit::computation);
    CHECK(beside->network_pct == Approx(40.0));
}

TEST_CASE("the hidden share is of the hidden and the exposed time of all exchanges") {
    const auto found =
        step_findings({.nodes = {node_step(0, 1, 1, 1, 1)},
                       .exchanges = {{.name = "a", .in_flight_us = 900, .hidden_us = 200},
                                     {.name = "b", .network_us = 150, .slower_nodes_us = 50}}});
    CHECK(*found->hidden_pct == Approx(50.0));
    CHECK_FALSE(step_findings({.nodes = {node_step(0, 1, 1, 1, 1)}, .exchanges = {}})->hidden_pct);
}
