#include "sweep/sweep_plots.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "base/error.hpp"
#include "small_sweep.hpp"
#include "sweep/sweep_page.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

namespace {

std::vector<Plot> plots_of(const std::string& csv) {
    std::istringstream text(csv);
    return step_time_plots(text, "runs.csv");
}

}  // namespace

TEST_CASE("step time by batch size is a line per setting of the rest, with the repeats' spread") {
    const auto plots = plots_of(
        "batch_size,nodes,repeat,seed,run_id,state,step_p50_us\n"
        "64,1,0,1,a,done,3000\n"
        "32,1,0,1,b,done,1000\n"
        "32,2,0,1,c,done,1500\n"
        "64,2,0,1,d,failed,\n"
        "32,1,1,2,e,done,3000\n"
        "32,1,2,3,f,done,1100\n");
    REQUIRE(plots.size() == 1);
    const auto& plot = std::get<LinePlot>(plots[0]);
    CHECK(plot.title == "Step time by batch size");
    CHECK(plot.x_logarithmic);
    REQUIRE(plot.series.size() == 2);
    CHECK(plot.series[0].title == "nodes=1");
    CHECK(plot.series[0].points == std::vector<PlotPoint>{{32, 1.1, {{1.0, 3.0}}}, {64, 3.0, {}}});
    CHECK(plot.series[1].title == "nodes=2");
    CHECK(plot.series[1].points == std::vector<PlotPoint>{{32, 1.5, {}}});
}

TEST_CASE("without batch sizes, step time is a bar per setting") {
    const auto plots = plots_of(
        "strategy.overlap,repeat,state,step_p50_us\n"
        "true,0,done,1000\nfalse,0,done,2000\ntrue,1,done,3000\n");
    REQUIRE(plots.size() == 1);
    CHECK(std::get<BarPlot>(plots[0]).bars ==
          std::vector<PlotBar>{{"strategy.overlap=true", 2.0}, {"strategy.overlap=false", 2.0}});
}

TEST_CASE("a sweep without a run that is done has no plot, and what is no runs.csv is refused") {
    CHECK(plots_of("batch_size,repeat,state,step_p50_us\n32,0,pending,\n").empty());
    CHECK_THROWS_AS(plots_of("batch_size,step\n"), DataError);
    CHECK_THROWS_AS(plots_of("batch_size,repeat,state,step_p50_us\nmany,0,done,1\n"), DataError);
}

TEST_CASE("a sweep's page says how far it is, and has the figure once there is one") {
    const auto sweep = small_sweep();
    std::vector<SweepEntry> entries(sweep.runs.size());
    CHECK_THAT(sweep_page(sweep, entries, Gnuplot()),
               Contains("<h1>small, 0 of 4 runs done</h1>") && !Contains("<figure>") && Contains("pending"));
    entries[0] = {
        .state = RunState::done, .error = "", .code = 0, .summary = {{"step_us", {{"p50", 2000.0}}}}};
    const auto page = sweep_page(sweep, entries, Gnuplot());
    CHECK_THAT(page, Contains("1 of 4 runs done") && Contains("aria-label=\"Step time by batch size\""));
    CHECK_THAT(sweep_page(sweep, entries, Gnuplot("no-such-gnuplot")),
               Contains("No figures: no-such-gnuplot"));
}
