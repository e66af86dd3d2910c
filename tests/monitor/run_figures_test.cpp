#include "monitor/run_figures.hpp"

#include <catch2/catch.hpp>

#include "report/example_run.hpp"

using namespace convoy;

TEST_CASE("the records of a run add up to figures of each node") {
    RunFigures figures;
    figures.ranks = 2;
    for (const auto& [node, records] : by_node(example_run().records)) figures.add(records);
    const auto& node = figures.nodes.at(1);
    CHECK(node.steps == 2);
    CHECK(node.last_step == 2);
    CHECK(node.examples == 40);
    CHECK(node.correct == 8);
    CHECK(node.step_us == 2500);
    CHECK(node.compute_us == 1000);
    CHECK(node.wait_us == 500);
    CHECK(node.operators_us ==
          std::map<std::pair<RunPhase, std::string>, double>{{{RunPhase::train, "_FusedConv2D"}, 600},
                                                             {{RunPhase::train, "CollectiveReduce"}, 400},
                                                             {{RunPhase::evaluate, "MatMul"}, 100}});
    CHECK(node.exchanges == CommunicationTimes{400, 300, 400, 50, 25});
    CHECK(node.reading->resident_bytes == 120'000'000);
    CHECK(node.reading_before->resident_bytes == 100'000'000);
    CHECK(node.peak_resident_bytes == 130'000'000);
    CHECK(node.sent_bytes == 4000);
    CHECK(figures.last_epoch == 1);
    CHECK(figures.epoch() == example_results().epochs.at(0));
}

TEST_CASE("an epoch counts when all ranks have told it") {
    RunFigures figures;
    figures.ranks = 2;
    const auto told = [&figures](std::int64_t node, std::int64_t epoch) {
        NodeRecords records;
        NodeEpochRecord row;
        row.node = node;
        row.epoch = epoch;
        row.train = {.loss_sum = 10.0 * static_cast<double>(node + 1), .correct = 5, .examples = 10};
        records.epochs.push_back(row);
        figures.add(records);
    };
    told(0, 1);
    CHECK(figures.last_epoch == 0);
    CHECK_FALSE(figures.epoch());
    told(0, 2);
    told(1, 1);
    CHECK(figures.last_epoch == 1);
    CHECK(figures.epoch()->train_loss == 1.5);
    SECTION("of ranks that are gone, rows count for the loss only") {
        told(2, 2);
        CHECK(figures.last_epoch == 1);
        told(1, 2);
        CHECK(figures.last_epoch == 2);
        CHECK(figures.epoch()->train_loss == 2.0);
    }
    SECTION("with fewer ranks, the epochs that some have told are complete") {
        figures.set_ranks(1);
        CHECK(figures.last_epoch == 2);
        CHECK(figures.epoch()->train_loss == 1.0);
    }
    SECTION("rows of an earlier epoch change nothing") {
        told(1, 2);
        told(2, 1);
        CHECK(figures.last_epoch == 2);
    }
}

TEST_CASE("memory does not grow with the steps") {
    RunFigures figures;
    figures.ranks = 1;
    NodeRecords records;
    records.steps.resize(1000);
    records.system.resize(1000);
    figures.add(records);
    CHECK(figures.nodes.at(0).recent.size() == recent_steps);
    CHECK(figures.nodes.at(0).steps == 1000);
}

TEST_CASE("the progress of the first node that computes a loss is shown") {
    RunFigures figures;
    figures.ranks = 2;
    CHECK(figures.shown() == nullptr);
    NodeProgress server;
    server.phase = phase::train;
    figures.note(server);
    CHECK(figures.shown()->rank == 0);
    NodeProgress worker;
    worker.rank = 1;
    worker.phase = phase::train;
    worker.examples = 3;
    figures.note(worker);
    CHECK(figures.shown()->rank == 1);
    figures.set_ranks(1);
    CHECK(figures.shown()->rank == 0);
}
