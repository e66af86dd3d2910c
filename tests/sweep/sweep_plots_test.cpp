#include "sweep/sweep_plots.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "report/gnuplot_script.hpp"
#include "sweep_rows_of.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

TEST_CASE("a sweep's drawings are its charts and a key, which says how to read them") {
    const auto drawings = drawings_of(sweep_figures(scaling_rows()));
    REQUIRE(drawings.size() == 7);
    CHECK(drawings[2].title == "Speed-up over 1 node: batch 32");
    CHECK_THAT(drawings[3].elements,
               Contains("local_sgd, every 8") && Contains("ideal") && Contains("ring s"));
    CHECK_THAT(drawings[6].elements, Contains("1 of 24 runs"));
    std::istringstream lines(drawings[6].elements);
    for (std::string line; std::getline(lines, line);) CHECK(line.ends_with('>'));  // no text is two lines
    CHECK(drawings_of({}).empty());
}

TEST_CASE("gnuplot draws a sweep as lines with bars from the least to the greatest run, and each run") {
    const auto plots = plots_of(sweep_figures(scaling_rows()));
    REQUIRE(plots.size() == 6);
    const auto& throughput = std::get<LinePlot>(plots[1]);
    CHECK(throughput.name == "throughput_2");
    CHECK(throughput.title == "Throughput: batch 64; 1 of 12 runs not quiet");
    CHECK(std::get<LinePlot>(plots[1]).title.size() < longest_title);
    CHECK(throughput.x_logarithmic);
    CHECK(throughput.y_logarithmic);
    CHECK(throughput.series[0].points ==
          std::vector<PlotPoint>{{1, 300, {{200, 400}}}, {2, 600, {{400, 800}}}, {4, 1200, {{800, 1600}}}});
    const auto& runs = throughput.series[0].dots;
    CHECK(runs.size() == 6);
    CHECK(std::ranges::count(runs, PlotDot{1, 200}) == 1);
    std::size_t hollow = 0;
    for (const auto& series : throughput.series)
        hollow += static_cast<std::size_t>(std::ranges::count(series.dots, true, &PlotDot::hollow));
    CHECK(hollow == 1);
    const auto& speedup = std::get<LinePlot>(plots[2]);
    CHECK_FALSE(speedup.y_logarithmic);
    CHECK(speedup.series[0].title == "ideal");
    CHECK(speedup.series[0].points == std::vector<PlotPoint>{{1, 1, {}}, {2, 2, {}}, {4, 4, {}}});
}

TEST_CASE("gnuplot draws settings without a number as bars, and lines under their whole names") {
    const auto bars = plots_of(
        sweep_figures(measured_rows("strategy,repeat,state,examples_per_second,step_p50_us\n"
                                    "ring,0,done,1,1000\nlocal,0,done,1,2000\nring,1,done,1,3000\n")));
    REQUIRE(bars.size() == 1);
    CHECK(std::get<BarPlot>(bars[0]).bars ==
          std::vector<PlotBar>{{"ring", 2.0, {{.x = 1.0}, {.x = 3.0}}}, {"local", 2.0, {{.x = 2.0}}}});
    const auto lines = plots_of(sweep_figures(
        measured_rows("batch_size,model,repeat,state,examples_per_second,step_p50_us\n"
                      "32,a_name_that_is_too_long_for_the_end,0,done,1,1000\n64,b,0,done,1,2000\n")));
    CHECK(std::get<LinePlot>(lines.at(0)).series[0].title == "a_name_that_is_too_long_for_the_end");
}
