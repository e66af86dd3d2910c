#include "sweep/sweep_figures.hpp"

#include <catch2/catch.hpp>

#include "sweep_rows_of.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

namespace {

const XyChart& lines_of(const SweepFigures& figures, std::size_t figure, std::size_t chart) {
    return std::get<XyChart>(figures.figures.at(figure).charts.at(chart));
}

std::vector<std::string> line_names(const XyChart& chart) {
    std::vector<std::string> names;
    for (const auto& series : chart.series) names.push_back(series.label);
    return names;
}

using Points = std::vector<ChartPoint>;

}  // namespace

TEST_CASE("a sweep over nodes shows throughput, speed-up and efficiency, a chart for each third factor") {
    const auto figures = sweep_figures(scaling_rows());
    REQUIRE(figures.figures.size() == 3);
    CHECK(figures.figures[1].title == "Speed-up over 1 node");
    CHECK(figures.figures[2].title == "Efficiency against 1 node");
    REQUIRE(figures.figures[0].charts.size() == 2);
    const auto& throughput = lines_of(figures, 0, 1);
    CHECK(throughput.title == "Throughput: batch 64");
    CHECK(throughput.x.title == "nodes");
    CHECK(throughput.x.kind == ScaleKind::logarithmic);
    CHECK(throughput.x.ticks_at == std::vector<double>{1, 2, 4});
    CHECK(line_names(throughput) == std::vector<std::string>{"ring", "local_sgd, every 8"});
    CHECK(throughput.series[0].line == Points{{1, 300}, {2, 600}, {4, 1200}});
    CHECK(throughput.series[0].dots == Points{{4, 800}, {1, 200}, {2, 400}, {1, 400}, {2, 800}});
    CHECK(throughput.series[0].rings == Points{{4, 1600}});
    CHECK(figures.key.entries.empty());
}

TEST_CASE("the charts of one figure have the same axes, logarithmic where the values range widely") {
    auto rows = scaling_rows();
    const auto wide = sweep_figures(rows);
    CHECK(lines_of(wide, 0, 0).y == lines_of(wide, 0, 1).y);
    CHECK(lines_of(wide, 0, 0).y.kind == ScaleKind::logarithmic);  // 50 to 1600
    CHECK(lines_of(wide, 0, 0).y.covered == std::vector<double>{50, 1600});
    CHECK(lines_of(wide, 1, 0).y.kind == ScaleKind::linear);
}

TEST_CASE("the ideal line of a speed-up grows as the nodes do, that of the efficiency is level") {
    const auto figures = sweep_figures(scaling_rows());
    const auto& speedup = lines_of(figures, 1, 0);
    REQUIRE(speedup.series[0].label == "ideal");
    CHECK(speedup.series[0].dashed);
    const auto& ideal = speedup.series[0].line;
    CHECK(ideal.front() == ChartPoint{1, 1});
    CHECK(ideal.back() == ChartPoint{4, 4});
    for (const auto& point : ideal) CHECK(point.x == Approx(point.y));
    // Throughputs 100 and 200 on 1 node, 400 and 800 on 4.
    CHECK(speedup.series[1].line == Points{{1, 1}, {2, 2}, {4, 4}});
    CHECK(speedup.series[1].dots[0].y == Approx(400.0 / 150.0));
    const auto& efficiency = lines_of(figures, 2, 0);
    CHECK(efficiency.series[0].line == Points{{1, 100}, {4, 100}});
    for (const auto& point : efficiency.series[1].line) CHECK(point.y == Approx(100.0));
    CHECK(efficiency.y.covered.front() == Approx(100 * 2.0 / 3.0));
}

TEST_CASE("a sweep says how many of its dots are hollow, and what it compares with") {
    CHECK(sweep_figures(scaling_rows()).note ==
          "Each dot is a run; lines go through the medians of the repeats. 1 of 24 runs was not quiet: "
          "hollow dots.\nSpeed-up and efficiency compare with the median throughput of 1 node with the same "
          "other settings.\n");
    auto rows = scaling_rows();
    for (auto& row : rows.rows) row.not_quiet = row.settings[1] == "1";
    CHECK_THAT(sweep_figures(rows).note, Contains("8 of 24 runs were not quiet: hollow dots.") &&
                                             Contains("8 of these 8 baseline runs were not quiet."));
    for (auto& row : rows.rows) row.not_quiet = false;
    CHECK_THAT(sweep_figures(rows).note, !Contains("quiet"));
}

TEST_CASE("names that are too long for the ends of lines stand in a key, and none is lost") {
    std::string csv = "nodes,strategy,repeat,state,examples_per_second,step_p50_us\n";
    for (int i = 1; i <= 9; ++i)
        for (const char* nodes : {"1", "2"})
            csv += std::string(nodes) +
                   ",\"{\"\"name\"\":\"\"parameter_server\"\",\"\"servers\"\":" + std::to_string(i) +
                   ",\"\"bucket_bytes\"\":" + std::to_string(i * 65536) + "}\",0,done,100,1\n";
    csv += "1,ring_allreduce,0,done,90,1\n";
    const auto figures = sweep_figures(measured_rows(csv));
    REQUIRE(figures.key.entries.size() == 10);
    CHECK(figures.key.title == "strategy");
    CHECK(figures.key.entries[8].label == "parameter_server, bucket 576 KiB, servers 9");
    CHECK(figures.key.entries[8].mark == "9");
    const auto& chart = lines_of(figures, 0, 0);
    REQUIRE(chart.series.size() == 10);
    for (std::size_t i = 0; i < 10; ++i) {
        CHECK(chart.series[i].label == figures.key.entries[i].mark);
        CHECK(chart.series[i].tone == figures.key.entries[i].tone);
        CHECK(chart.series[i].dashed == figures.key.entries[i].dashed);
        for (std::size_t k = 0; k < i; ++k)  // colour and dashes tell lines apart
            CHECK((chart.series[i].tone != chart.series[k].tone ||
                   chart.series[i].dashed != chart.series[k].dashed));
    }
}

TEST_CASE("without nodes in the grid, the step time is shown over the batch size") {
    const auto figures = sweep_figures(
        measured_rows("batch_size,repeat,state,examples_per_second,step_p50_us\n"
                      "64,0,done,1,3000\n32,0,done,1,1000\n32,1,done,1,2000\n32,2,failed,1,9000\n"));
    REQUIRE(figures.figures.size() == 1);
    const auto& chart = lines_of(figures, 0, 0);
    CHECK(chart.title == "Step time by batch size");
    CHECK(chart.y.title == "ms");
    REQUIRE(chart.series.size() == 1);
    CHECK(chart.series[0].label.empty());
    CHECK(chart.series[0].line == Points{{32, 1.5}, {64, 3}});
    CHECK(chart.x.title == "batch size, all nodes together");
    CHECK(chart.x.kind == ScaleKind::logarithmic);
}

TEST_CASE("without a number in the grid, each setting is a row of dots with its name") {
    const auto figures = sweep_figures(measured_rows(
        "strategy.overlap,strategy.wire_type,repeat,state,examples_per_second,step_p50_us,measurement\n"
        "true,float32,0,done,1,1000,quiet\nfalse,float32,0,done,1,30000,noisy\n"
        "true,float32,1,done,1,3000,quiet\ntrue,top_k,0,pending,,,\n"));
    REQUIRE(figures.figures.size() == 1);
    const auto& chart = std::get<DotRowChart>(figures.figures[0].charts[0]);
    REQUIRE(chart.rows.size() == 2);
    CHECK(chart.rows[0] ==
          DotRow{.label = "overlap, wire type float32", .dots = {1, 3}, .rings = {}, .line = 2.0});
    CHECK(chart.rows[1] ==
          DotRow{.label = "no overlap, wire type float32", .dots = {}, .rings = {30}, .line = 30.0});
    CHECK(chart.x.kind == ScaleKind::logarithmic);
}

TEST_CASE(
    "settings without a number are compared by time, exposed communication, bytes, memory and accuracy") {
    const auto rows = [](const std::string& second) {
        return measured_rows(
            "strategy.name,repeat,state,examples_per_second,step_p50_us,train_s,exposed_us,sent_bytes,"
            "peak_resident_bytes,test_accuracy\n"
            "local,0,done,1,1000,2,0,0,80000000,0.5\n" +
            second);
    };
    const auto figures = sweep_figures(rows("ring_allreduce,0,done,1,4000,2,500000,3000000,90000000,0.75\n"));
    const std::vector<std::pair<std::string, double>> of_ring{
        {"step_time", 4.0}, {"exposed", 25.0}, {"sent", 3.0}, {"memory", 90.0}, {"accuracy", 75.0}};
    REQUIRE(figures.figures.size() == of_ring.size());
    for (std::size_t i = 0; i < of_ring.size(); ++i) {
        CHECK(figures.figures[i].name == of_ring[i].first);
        const auto& chart = std::get<DotRowChart>(figures.figures[i].charts.at(0));
        CHECK(chart.rows.at(1).dots == std::vector<double>{of_ring[i].second});
    }
    const auto alone = sweep_figures(rows("local,1,done,1,4000,2,0,0,90000000,0.75\n"));
    std::vector<std::string> names;
    for (const auto& figure : alone.figures) names.push_back(figure.name);
    CHECK(names == std::vector<std::string>{"step_time", "memory", "accuracy"});
}

TEST_CASE("a sweep of repeats alone has one row, and one without a finished run has no figure") {
    const auto figures = sweep_figures(
        measured_rows("repeat,state,examples_per_second,step_p50_us\n0,done,1,1000\n1,done,1,2000\n"));
    CHECK(std::get<DotRowChart>(figures.figures.at(0).charts.at(0)).rows.at(0).label == "every run");
    const auto none = sweep_figures(
        measured_rows("nodes,repeat,state,examples_per_second,step_p50_us\n1,0,pending,,\n2,0,failed,,\n"));
    CHECK(none.figures.empty());
    CHECK(none.note.empty());
}
