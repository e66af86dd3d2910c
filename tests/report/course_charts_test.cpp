#include "report/course_charts.hpp"

#include <catch2/catch.hpp>

#include "example_run.hpp"

using namespace convoy;
using Catch::Matchers::Contains;

namespace {

RunResults steps_of(std::int64_t count, double (*step_us)(std::int64_t)) {
    RunResults results;
    for (std::int64_t step = 1; step <= count; ++step) {
        StepRecord row;
        row.step = step;
        row.step_us = step_us(step);
        row.examples = 1;
        results.steps.push_back(row);
    }
    return results;
}

}  // namespace

TEST_CASE("step times are a line, and of many steps a band") {
    const auto few = step_time_charts(steps_of(100, [](std::int64_t) { return 2000.0; }));
    REQUIRE(few.size() == 2);
    CHECK(few[0].series.at(0).line.size() == 100);
    CHECK(few[0].series.at(0).line.at(0) == ChartPoint{1.0, 2.0});
    CHECK(few[0].series.at(0).band.empty());
    CHECK(few[0].y.title == "ms");
    const auto many =
        step_time_charts(steps_of(1000, [](std::int64_t step) { return step % 2 == 0 ? 1000.0 : 3000.0; }));
    CHECK(many[0].series.at(0).line.size() == 120);
    CHECK(many[0].series.at(0).band.at(50).low == 1.0);
    CHECK(many[0].series.at(0).band.at(50).high == 3.0);
    CHECK(step_time_charts({}).empty());
}

TEST_CASE("the columns of the distribution hold every step after the warm-up") {
    const auto slow_start = [](std::int64_t step) {
        return step <= 5 ? 9e5 : 1000.0 + static_cast<double>(step % 10);
    };
    const auto charts = step_time_charts(steps_of(100, slow_start));
    double steps = 0.0;
    for (const auto& column : charts.at(1).series.at(0).columns) steps += column.y;
    CHECK(steps == 95.0);
    CHECK_THAT(charts[1].description, Contains("longest 1.01 ms"));
    // Over the run they are shown, on an axis on which the others can be seen.
    CHECK(charts[0].y.kind == ScaleKind::logarithmic);
    CHECK(charts[1].x.kind == ScaleKind::linear);
    const auto same = step_time_charts(steps_of(8, [](std::int64_t) { return 5.0; }));
    CHECK(same.at(1).series.at(0).columns.front().y == 6.0);
}

TEST_CASE("readings of nodes are their mean and a band, of one node a line") {
    const auto& charts = system_charts(example_results());
    REQUIRE(charts.size() == 4);
    CHECK_THAT(charts[0].description, Contains("mean of 2 nodes"));
    CHECK(charts[0].series.at(0).line == std::vector<ChartPoint>{{0.2, 100.0}, {0.4, 100.0}});
    CHECK(charts[0].series.at(0).band.size() == 2);
    auto one = example_results();
    std::erase_if(one.system, [](const SystemSample& sample) { return sample.node == 1; });
    CHECK(system_charts(one).at(0).series.at(0).band.empty());
    CHECK(system_charts({}).empty());
}
