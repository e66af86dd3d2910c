#include "monitor/hold_ups.hpp"

#include <catch2/catch.hpp>

using namespace convoy;

namespace {

NodeProgress in_phase(std::int64_t rank, const char* phase) {
    NodeProgress progress;
    progress.rank = rank;
    progress.phase = phase;
    return progress;
}

/// Some steps of a node, each with these times.
void train(RunFigures& figures, std::int64_t rank, double compute_us, double wait_us,
           std::int64_t examples = 8) {
    NodeRecords records;
    for (std::int64_t step = 1; step <= 40; ++step) {
        StepRecord row;
        row.node = rank;
        row.step = step;
        row.examples = examples;
        row.compute_us = compute_us;
        row.wait_us = wait_us;
        row.step_us = compute_us + wait_us;
        records.steps.push_back(row);
    }
    figures.add(records);
    figures.note(in_phase(rank, phase::train));
}

}  // namespace

TEST_CASE("before training, nodes wait for those in the earliest phase") {
    RunFigures figures;
    figures.ranks = 4;
    CHECK(hold_ups(figures).empty());
    for (std::int64_t rank = 0; rank < 4; ++rank) figures.note(in_phase(rank, phase::read));
    CHECK(hold_ups(figures).empty());
    figures.note(in_phase(0, phase::connect));
    figures.note(in_phase(2, phase::prepare));
    CHECK(hold_ups(figures) == std::vector<HoldUp>{{1, "reads data"}, {3, "reads data"}});
    figures.note(in_phase(1, phase::prepare));
    figures.note(in_phase(3, phase::prepare));
    CHECK(hold_ups(figures) == std::vector<HoldUp>{{0, "connects to its peers"}});
}

TEST_CASE("in training, nodes wait for the one that computes longest") {
    RunFigures figures;
    figures.ranks = 4;
    train(figures, 0, 1000, 300);
    train(figures, 1, 1040, 260);
    CHECK(hold_ups(figures).empty());  // nodes that do the same work differ by some per cent
    train(figures, 2, 1300, 5);
    CHECK(hold_ups(figures) == std::vector<HoldUp>{{2, "computes 27% longer"}});
    train(figures, 3, 9000, 0, 0);  // a server
    CHECK(hold_ups(figures) == std::vector<HoldUp>{{2, "computes 27% longer"}});
    figures.set_ranks(2);
    CHECK(hold_ups(figures).empty());
}

TEST_CASE("only the last steps count, and nobody waits for a node that waits more itself") {
    RunFigures figures;
    figures.ranks = 2;
    train(figures, 0, 1000, 500);
    train(figures, 1, 2000, 10);
    CHECK(hold_ups(figures) == std::vector<HoldUp>{{1, "computes 100% longer"}});
    train(figures, 1, 1000, 500);
    CHECK(hold_ups(figures).empty());
    train(figures, 1, 1100, 500);  // it waits for the network as long as the other
    CHECK(hold_ups(figures).empty());
    train(figures, 1, 2000, 2000);  // it takes steps apart from the others
    CHECK(hold_ups(figures).empty());
}
