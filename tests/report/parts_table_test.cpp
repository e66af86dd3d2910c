#include "report/parts_table.hpp"

#include <catch2/catch.hpp>

#include "report/render.hpp"
#include "report/tables.hpp"

using namespace convoy;

namespace {

OperatorRecord took(std::int64_t node, const char* layer, double total_us) {
    OperatorRecord record;
    record.node = node;
    record.name = layer;
    record.total_us = total_us;
    return record;
}

NodeSummary holding(std::int64_t node, std::vector<HeldPart> parts) {
    NodeSummary summary;
    summary.node = node;
    summary.steps = 10;
    summary.parts = std::move(parts);
    return summary;
}

/// Two nodes that share conv2d_1, ten steps.
RunResults shared_run() {
    RunResults results;
    results.summaries = {holding(0, {{"conv2d_1.weight", 0, 24, 32}, {"conv2d_1.bias", 0, 24, 32}}),
                         holding(1, {{"conv2d_1.weight", 24, 8, 32}, {"conv2d_1.bias", 24, 8, 32}})};
    auto exchange = took(0, "conv2d_1", 900.0);
    exchange.communication.emplace();
    auto evaluated = took(1, "conv2d_1", 900.0);
    evaluated.phase = RunPhase::evaluate;
    results.operators = {took(0, "conv2d_1", 200.0),
                         took(0, "conv2d_1", 100.0),
                         took(0, "dense_1", 70.0),
                         took(1, "conv2d_1", 100.0),
                         exchange,
                         evaluated};
    return results;
}

}  // namespace

TEST_CASE("a layer that is cut has a row for each node: its share, and its computation beside the mean") {
    CHECK(to_csv(parts_table(shared_run())) ==
          "layer,node,first,count,share_pct,compute_per_step_us,of_mean_pct\n"
          "conv2d_1,0,0,24,75,30,150\n"
          "conv2d_1,1,24,8,25,10,50\n");
}

TEST_CASE("a run that cuts no parameter has no parts") {
    RunResults whole;
    whole.summaries = {holding(0, {})};
    CHECK(named_table("parts")(whole).rows.empty());
}
