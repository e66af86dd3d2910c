#include "report/results_builder.hpp"

#include <catch2/catch.hpp>

#include "report/figures.hpp"
#include "report/tables.hpp"

using namespace convoy;

namespace {

OperatorRecord conv(std::int64_t epoch, std::int64_t calls, double mean_us) {
    OperatorRecord row;
    row.epoch = epoch;
    row.operator_name = "Conv2D";
    row.name = "conv1";
    row.calls = calls;
    row.mean_us = row.p50_us = row.p99_us = mean_us;
    row.total_us = mean_us * static_cast<double>(calls);
    row.work = WorkDone{calls, 2 * calls, 3 * calls};
    return row;
}

}  // namespace

TEST_CASE("the rows of an operator become one over all epochs, which tables show as before") {
    ResultsBuilder builder({});
    RunResults apart;
    for (std::int64_t epoch = 1; epoch <= 3; ++epoch) {
        const auto row = conv(epoch, epoch, 100.0 * static_cast<double>(epoch));
        builder.add(row);
        apart.operators.push_back(row);
    }
    const auto merged = builder.finish();
    REQUIRE(merged.operators.size() == 1);
    CHECK(merged.operators[0].calls == 6);
    CHECK(merged.operators[0].total_us == 1400.0);
    CHECK(merged.operators[0].p50_us == Approx(1400.0 / 6));
    CHECK(merged.operators[0].work == WorkDone{6, 12, 18});
    CHECK(operators_table(merged).rows == operators_table(apart).rows);
}

TEST_CASE("many steps are thinned, and their time is not lost") {
    constexpr std::size_t most = 100;
    ResultsBuilder builder({}, most);
    double total = 0.0;
    for (std::int64_t node = 0; node < 2; ++node) {
        for (std::int64_t step = 1; step <= 1000; ++step) {
            const auto us = static_cast<double>(step);
            total += us;
            builder.add(StepRecord{node, 1, step, 1.0, 0, 10, us});
        }
    }
    const auto results = builder.finish();
    CHECK(results.steps.size() <= most);
    CHECK(results.steps.size() > most / 4);
    CHECK(results.last_step == 1000);
    double kept = results.left_out_step_us;
    for (const auto& row : results.steps) {
        CHECK(row.step % results.step_stride == 0);
        kept += row.step_us;
    }
    CHECK(kept == total);
    CHECK(step_figures(results.steps, 2)->step_us.p50 == Approx(500).margin(100));
}

TEST_CASE("many readings become means over neighbours, node by node") {
    constexpr std::size_t most = 64;
    ResultsBuilder builder({}, most_step_rows, most);
    for (std::int64_t node = 0; node < 3; ++node) {
        for (int i = 1; i <= 1000; ++i)
            builder.add(SystemSample{node, 0.2 * i, 100.0 * static_cast<double>(node), i % 2 == 0 ? 2.0 : 4.0,
                                     0, static_cast<std::uint64_t>(i)});
    }
    const auto results = builder.finish();
    CHECK(results.system.size() <= most);
    std::int64_t nodes = 0;
    for (const auto& row : results.system) {
        CHECK(row.cpu_user_pct == 100.0 * static_cast<double>(row.node));
        CHECK(row.cpu_system_pct == Approx(3.0).margin(0.2));
        nodes = std::max(nodes, row.node + 1);
    }
    CHECK(nodes == 3);
    REQUIRE(results.summaries.size() == 3);
    CHECK(results.summaries[2].peak_resident_bytes == 1000);
}

TEST_CASE("a node that sent no summary has one of its steps, epochs and readings") {
    ResultsBuilder builder({});
    builder.add(StepRecord{1, 1, 7});
    builder.add(NodeEpochRecord{1, 1, {}, {}, {}, 2.0, 0.5});
    builder.add(NodeEpochRecord{1, 2, {}, {}, {}, 3.0, 0.5});
    builder.add(SystemSample{1, 6.0, 0, 0, 0, 77, 8, 9});
    NodeSummary told;
    told.node = 0;
    told.steps = 9;
    builder.add(told);
    const auto summaries = builder.finish().summaries;
    REQUIRE(summaries.size() == 2);
    CHECK(summaries[0].steps == 9);
    CHECK(summaries[1].node == 1);
    CHECK(summaries[1].steps == 7);
    CHECK(summaries[1].train_s == 5.0);
    CHECK(summaries[1].total_s == 6.0);
    CHECK(summaries[1].sent_bytes == 8);
}
