#include "report/overview.hpp"

#include <catch2/catch.hpp>

#include "example_run.hpp"

using namespace convoy;

TEST_CASE("the overview in Markdown") {
    CHECK("\n" + overview_markdown(results_of(example_run())) == R"(
# example, run 0123456789ab

measurement: no verdict: not all nodes told how they shared their machines

## Result of example

| status | nodes | batch size | epochs | steps | train loss | train accuracy | test loss | test accuracy | step p50 (ms) | examples per second | total (s) | measurement |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |
| done | 2 | 30 | 1 | 2 | 3.3333 | 0.2667 | 0.8000 | 0.8000 | 1.25 | 24000.0 | 3.50 | - |

## Time per phase

| node | read (s) | preprocess (s) | train (s) | evaluate (s) | total (s) |
| ---: | ---: | ---: | ---: | ---: | ---: |
| 0 | 0.50 | 0.25 | 1.50 | 0.25 | 2.50 |
| 1 | 0.50 | 0.25 | 2.50 | 0.25 | 3.50 |

## Loss and accuracy per epoch

| epoch | train loss | train accuracy | validation loss | validation accuracy | test loss | test accuracy | train (s) | evaluate (s) |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| 1 | 3.3333 | 0.2667 | - | - | 0.8000 | 0.8000 | 2.50 | 0.25 |

## Time per kind of operator in training, over all nodes

| operator | layers | calls | total (ms) | mean (us) | share (%) | hidden (ms) | exposed (ms) | in flight (ms) | skew (ms) |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| _FusedConv2D | 1 | 4 | 1.2 | 300.0 | 30.0 | - | - | - | - |
| CollectiveReduce | 1 | 4 | 0.6 | 150.0 | 15.0 | 0.6 | 0.6 | 0.8 | 0.1 |
)");
}

TEST_CASE("the overview has a row for each kind of operator, whatever its layers, and all exchanges") {
    auto results = results_of(example_run());
    for (std::int64_t epoch = 2; epoch <= 30; ++epoch) {
        results.epochs.push_back(results.epochs[0]);
        results.epochs.back().epoch = epoch;
        results.operators.push_back(results.operators[0]);
        results.operators.back().name = "conv" + std::to_string(epoch);
    }
    for (int kind = 0; kind < 14; ++kind) {
        results.operators.push_back(results.operators[0]);
        results.operators.back().operator_name = "Kind" + std::to_string(kind);
    }
    std::int64_t exchanges = 0;
    for (auto& row : results.operators) {
        if (!row.communication) continue;
        row.total_us = 0.25;  // the shortest of all
        ++exchanges;
    }
    REQUIRE(exchanges == 2);
    const auto tables = overview(results);
    REQUIRE(tables.size() == 4);
    CHECK(tables[2].rows.size() == 12);
    CHECK(tables[2].rows.back().front() == Cell(std::int64_t{30}));
    CHECK(tables[2].title == "Loss and accuracy per epoch (the last 12 of 30)");
    REQUIRE(tables[3].rows.size() == 11);
    CHECK(tables[3].title == "Time per kind of operator in training, over all nodes (11 of 16 kinds)");
    CHECK(tables[3].rows[0][0] == Cell("_FusedConv2D"));
    CHECK(tables[3].rows[0][1] == Cell(std::int64_t{30}));  // layers
    CHECK(tables[3].rows[10][0] == Cell("CollectiveReduce"));
}
