#include "report/headline.hpp"

#include <catch2/catch.hpp>

#include "example_run.hpp"

using namespace convoy;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

StepFindings findings() {
    return {.computation_pct = 61.0,
            .network_pct = 20.0,
            .slower_nodes_pct = 5.0,
            .data_pct = 1.0,
            .hidden_pct = 72.4};
}

StepBreakdown nodes(std::size_t count) {
    return {.nodes = std::vector<NodeStep>(count), .exchanges = {}};
}

}  // namespace

TEST_CASE("a run is told in some words") {
    const auto spec = R"({"model": {"name": "resnet_v2", "depth": 20}, "dataset": {"name": "cifar10"},
                          "strategy": {"name": "ring_allreduce"}, "optimizer": {"name": "adam"}})";
    CHECK(run_in_words(example_results(), spec) ==
          "resnet_v2 of depth 20 on cifar10: 2 nodes, ring_allreduce, batch 30, adam, 1 epoch");
    CHECK(run_in_words(example_results(), R"({"model": {"layers": [1, 2, 3]}})") ==
          "a network of 3 layers: 2 nodes, batch 30, 1 epoch");
    for (const auto* damaged : {"", "{", "[]", "{\"model\": 3}", "{\"model\": {\"name\": [1]}}"})
        CHECK(run_in_words(example_results(), damaged) == "a network: 2 nodes, batch 30, 1 epoch");
}

TEST_CASE("machines are told in some words") {
    auto results = example_results();
    CHECK(machines_in_words(results, R"({"host": "vm", "cpu": {"model": "EPYC", "usable_cores": 2}})") ==
          "vm, EPYC, 2 usable cores; 1 thread a node");
    results.summaries[1].threads = 4;
    results.cluster = EmulatedCluster{.hosts = 2};
    CHECK(machines_in_words(results, "?") == "2 emulated hosts (without limits); 1 to 4 threads a node");
}

TEST_CASE("sentences say what limited the run, which node was slow, and what was hidden") {
    auto found = findings();
    CHECK(findings_in_words(nodes(1), found) ==
          "Computation limited this run: 61% of the step time. 72% of the communication was hidden behind "
          "computation.");
    found.slowest = SlowestNode{.node = 3, .own_us = 1120.0, .others_us = 1000.0};
    CHECK_THAT(findings_in_words(nodes(4), found),
               Contains("Node 3 was the slowest: its own work took 12% longer"));
    found.slowest->own_us = 2000.0;
    CHECK_THAT(findings_in_words(nodes(4), found),
               Contains("its own work took 2.0 times as long as that of the others"));
    found.slowest->own_us = 1120.0;
    found.limit = Limit::slower_nodes;
    CHECK_THAT(findings_in_words(nodes(4), found),
               StartsWith("Waiting for node 3 limited this run: 5% of the step time of the other nodes."));
    found.limit = Limit::computation;
    found.slowest->own_us = 1010.0;
    CHECK_THAT(findings_in_words(nodes(4), found),
               Contains("No node was slower than the others by 5% or more."));
    found.hidden_pct.reset();
    found.limit = Limit::network;
    CHECK_THAT(findings_in_words(nodes(1), found),
               Contains("The network limited this run: 20%") && Contains("One node has no communication."));
    CHECK(findings_in_words(nodes(0), std::nullopt).empty());
}

TEST_CASE("the head of a page has an answer to each question, and escapes texts") {
    const auto html = html_headline(example_results(), step_breakdown(example_results()),
                                    R"({"dataset": {"name": "<script>"}})", R"({"host": "<img>"})");
    for (const auto* question :
         {"Are the times to be trusted?", "What limited the run?", "Which node was slow?",
          "How much communication was hidden?", "How fast?", "With which result?"})
        CHECK_THAT(html, Contains(question));
    CHECK_THAT(html, !Contains("<script>") && !Contains("<img>"));
    CHECK_THAT(html, Contains("80.00% right (test)"));
    auto interrupted = example_results();
    interrupted.status = RunStatus::interrupted;
    CHECK_THAT(html_headline(interrupted, {}, "", ""),
               Contains("Run 0123456789ab, interrupted") && !Contains("What limited"));
}

TEST_CASE("the head of a page names the faults of the spec, the first four of many") {
    auto results = example_results();
    CHECK_THAT(html_headline(results, {}, "", ""), !Contains("on purpose"));
    results.faults = {{.kind = "kill", .node = 2, .step = 50},
                      {.kind = "slow", .node = 1, .step = 3, .factor = 2.5},
                      {.kind = "<hang>", .node = 0, .time_s = 12.34}};
    CHECK_THAT(html_headline(results, {}, "", ""),
               Contains("on purpose: kill of node 2 at step 50; slow of node 1 at step 3 by factor 2.5; "
                        "&lt;hang&gt; of node 0 after 12.340 s of training.</p>"));
    results.faults.resize(9, results.faults[0]);
    CHECK_THAT(html_headline(results, {}, "", ""), Contains("of node 2 at step 50; 5 more.</p>"));
}
