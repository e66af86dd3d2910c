#include "monitor/live_table.hpp"

#include <catch2/catch.hpp>

#include "report/example_run.hpp"
#include "report/render.hpp"

using namespace convoy;

TEST_CASE("the live table has a row for each rank") {
    RunFigures figures;
    figures.ranks = 3;  // the last one has told nothing
    for (const auto& [node, records] : by_node(example_run().records)) figures.add(records);
    NodeProgress progress;
    progress.rank = 1;
    progress.phase = phase::evaluate;
    progress.step = 3;
    figures.note(progress);
    CHECK(to_csv(live_table(figures)) ==
          "node,phase,step,loss,examples_per_second,step_time_us,waits_pct,cpu_user_pct,cpu_system_pct,"
          "resident_bytes,sent_bytes_per_s,received_bytes_per_s,waited_for\n"
          "0,,2,1,13333.3333,750,33.3333333,70,30,120000000,5000,10000,\n"
          "1,evaluate,3,2,16000,1250,20,70,30,120000000,5000,10000,\n"
          "2,,0,,,,,,,,,,\n");
}

TEST_CASE("the live table says why the others wait for a node") {
    RunFigures figures;
    figures.ranks = 2;
    for (std::int64_t node = 0; node < 2; ++node) {
        StepRecord row;
        row.node = node;
        row.step = 1;
        row.examples = 4;
        row.compute_us = node == 0 ? 1000 : 1500;
        row.wait_us = node == 0 ? 600 : 100;
        row.step_us = 1600;
        NodeRecords records;
        records.steps.push_back(row);
        figures.add(records);
    }
    const auto table = live_table(figures);
    CHECK(table.rows.at(0).back() == Cell(Note{"no node waits for this one"}));
    CHECK(table.rows.at(1).back() == Cell("computes 50% longer"));
}
