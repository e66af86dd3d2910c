#include "report/step_time_line.hpp"

#include <catch2/catch.hpp>
#include <numeric>

using namespace convoy;

namespace {

TraceSlice slice(std::int64_t node, const char* track, const char* name, std::int64_t step, double start_us,
                 double duration_us) {
    TraceSlice made;
    made.node = node;
    made.track = track;
    made.operator_name = "Op";
    made.name = name;
    made.step = step;
    made.start_us = start_us;
    made.duration_us = duration_us;
    return made;
}

std::optional<StepTimeLine> line_of(const std::vector<TraceSlice>& slices, std::int64_t node_count,
                                    const std::vector<NodeSummary>& summaries = {}) {
    std::vector<std::int64_t> nodes(static_cast<std::size_t>(node_count));
    std::iota(nodes.begin(), nodes.end(), 0);
    const auto slices_of = [&slices](std::int64_t node) {
        auto own = slices;
        std::erase_if(own, [node](const TraceSlice& one) { return one.node != node; });
        return own;
    };
    return step_time_line(nodes, slices_of, summaries);
}

}  // namespace

TEST_CASE("the time-line is of the warm step of median length") {
    std::vector<TraceSlice> slices;
    const std::vector<double> lengths{900, 90, 90, 90, 90, 30, 10, 20};
    for (std::size_t i = 0; i < lengths.size(); ++i)
        slices.push_back(slice(0, "compute", "a", static_cast<std::int64_t>(i) + 1,
                               1000.0 * static_cast<double>(i), lengths[i]));
    const auto line = line_of(slices, 1);
    REQUIRE(line);
    CHECK(line->step == 8);
    CHECK(line->warm);
    CHECK(line->nodes_left_out == 0);
    REQUIRE(line->lanes.size() == 1);
    CHECK(line->lanes[0].pieces == std::vector<TimeLinePiece>{{0.0, 20.0, "Op", "a"}});
}

TEST_CASE("a step that some nodes did not trace is not taken") {
    const std::vector<TraceSlice> slices{slice(0, "compute", "a", 6, 0, 10),
                                         slice(1, "compute", "a", 6, 0, 10),
                                         slice(0, "compute", "a", 7, 20, 10)};
    CHECK(line_of(slices, 2)->step == 6);
}

TEST_CASE("where only first steps were traced, the last of them is taken, and it is said") {
    const std::vector<TraceSlice> slices{slice(0, "compute", "a", 1, 0, 10),
                                         slice(0, "compute", "a", 2, 20, 10)};
    const auto line = line_of(slices, 1);
    CHECK(line->step == 2);
    CHECK_FALSE(line->warm);
    CHECK_FALSE(line_of({}, 3));
    CHECK_FALSE(line_of({slice(0, "communication", "b", 6, 0, 1)}, 1));
}

TEST_CASE("exchanges in flight at once have lanes of their own, three at most") {
    std::vector<TraceSlice> slices{slice(0, "compute", "a", 9, 100, 100), slice(0, "step", "", 9, 100, 100)};
    slices.push_back(slice(0, "communication", "b0", 9, 110, 40));
    slices.push_back(slice(0, "communication", "b1", 9, 120, 60));
    slices.push_back(slice(0, "communication", "b2", 9, 130, 10));
    slices.push_back(slice(0, "communication", "b3", 9, 135, 15));
    slices.push_back(slice(0, "communication", "b4", 9, 160, 5));
    const auto line = line_of(slices, 1);
    REQUIRE(line->lanes.size() == 4);
    CHECK(line->lanes[0].computes);
    CHECK_FALSE(line->lanes[1].computes);
    CHECK(line->lanes[1].pieces == std::vector<TimeLinePiece>{{10, 50, "Op", "b0"}, {60, 65, "Op", "b4"}});
    CHECK(line->lanes[2].pieces == std::vector<TimeLinePiece>{{20, 80, "Op", "b1"}});
    // The fourth at once begins where its lane is free.
    CHECK(line->lanes[3].pieces == std::vector<TimeLinePiece>{{30, 40, "Op", "b2"}, {40, 50, "Op", "b3"}});
}

TEST_CASE("of an exchange that began before the step, the part within the step is shown") {
    const auto line =
        line_of({slice(0, "compute", "a", 9, 100, 100), slice(0, "communication", "b0", 9, 40, 20),
                 slice(0, "communication", "b1", 9, 50, 70)},
                1);
    REQUIRE(line->lanes.size() == 2);
    CHECK(line->lanes[1].pieces == std::vector<TimeLinePiece>{{0, 20, "Op", "b1"}});
}

TEST_CASE("all nodes are on the launcher's clock") {
    std::vector<NodeSummary> summaries(2);
    summaries[1].node = 1;
    summaries[1].clock = {.start_us = -500.0, .end_us = -500.0};
    const auto line =
        line_of({slice(0, "compute", "a", 6, 1000, 10), slice(1, "compute", "a", 6, 1503, 10)}, 2, summaries);
    REQUIRE(line->lanes.size() == 2);
    CHECK(line->lanes[0].pieces[0].from_us == 0.0);
    CHECK(line->lanes[1].node == 1);
    CHECK(line->lanes[1].pieces[0].from_us == Approx(3.0));
}

TEST_CASE("nodes beyond the sixteenth are left out, and counted") {
    std::vector<TraceSlice> slices;
    for (std::int64_t node = 0; node < 20; ++node) slices.push_back(slice(node, "compute", "a", 6, 0, 10));
    const auto line = line_of(slices, 20);
    CHECK(line->lanes.size() == 16);
    CHECK(line->nodes_left_out == 4);
}
