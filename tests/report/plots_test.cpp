#include "report/plots.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "example_run.hpp"
#include "report/thinned.hpp"

using namespace convoy;

namespace {

const LinePlot& lines(const std::vector<Plot>& plots, std::size_t at) {
    return std::get<LinePlot>(plots.at(at));
}

}  // namespace

TEST_CASE("curves of loss and accuracy, without what a run has none of") {
    const auto plots = curve_plots(example_results());
    REQUIRE(plots.size() == 2);
    const auto& loss = lines(plots, 0);
    REQUIRE(loss.series.size() == 3);
    CHECK(loss.series[0].title == "train, by step");
    // Step 1: 10 examples of 2.0 and 20 of 3.0; two steps in the epoch.
    CHECK(loss.series[0].points == std::vector<PlotPoint>{{0.5, 80.0 / 30, {}}, {1.0, 50.0 / 30, {}}});
    CHECK(loss.series[1].title == "train");
    CHECK(loss.series[1].points == std::vector<PlotPoint>{{1.0, 200.0 / 60, {}}});
    CHECK(loss.series[2].title == "test");
    const auto& accuracy = lines(plots, 1);
    REQUIRE(accuracy.series.size() == 3);
    CHECK(accuracy.series[0].points == std::vector<PlotPoint>{{0.5, 6.0 / 30, {}}, {1.0, 10.0 / 30, {}}});
    CHECK(accuracy.series[2].points == std::vector<PlotPoint>{{1.0, 0.8, {}}});
}

TEST_CASE("accuracy by step stands behind few epochs only") {
    auto longer = example_results();
    for (std::int64_t epoch = 2; epoch <= 3; ++epoch) {
        longer.epochs.push_back(longer.epochs[0]);
        longer.epochs.back().epoch = epoch;
    }
    const auto plots = curve_plots(longer);
    CHECK(lines(plots, 0).series[0].title == "train, by step");
    CHECK(lines(plots, 1).series[0].title == "train");
}

TEST_CASE("bars of the operators of training that ran by themselves, the longest first") {
    const auto plots = operator_plots(example_results());
    REQUIRE(plots.size() == 1);
    CHECK(std::get<BarPlot>(plots[0]).bars ==
          std::vector<PlotBar>{{"_FusedConv2D conv1", 30.0}, {"CollectiveReduce bucket0", 15.0}});
    CHECK(std::get<BarPlot>(operator_total_plots(example_results()).at(0)).bars ==
          std::vector<PlotBar>{{"_FusedConv2D", 30.0}, {"CollectiveReduce", 15.0}});
}

TEST_CASE("readings over time have a line per node, and traffic is a rate") {
    const auto plots = system_plots(example_results());
    REQUIRE(plots.size() == 4);
    CHECK(lines(plots, 0).name == "cpu");
    REQUIRE(lines(plots, 0).series.size() == 2);
    CHECK(lines(plots, 0).series[1].title == "node 1");
    CHECK(lines(plots, 0).series[1].points == std::vector<PlotPoint>{{0.2, 100.0, {}}, {0.4, 100.0, {}}});
    CHECK(lines(plots, 1).series[0].points == std::vector<PlotPoint>{{0.2, 100.0, {}}, {0.4, 120.0, {}}});
    REQUIRE(lines(plots, 2).series[0].points.size() == 1);
    CHECK(lines(plots, 2).series[0].points[0].x == 0.4);
    CHECK(lines(plots, 2).series[0].points[0].y == Approx(0.005));
    CHECK(lines(plots, 3).series[0].points[0].y == Approx(0.01));
}

TEST_CASE("a node that exchanged nothing has no traffic to show") {
    auto alone = example_results();
    for (auto& sample : alone.system) sample.sent_bytes = sample.received_bytes = 0;
    CHECK(system_plots(alone).size() == 2);
}

TEST_CASE("many nodes are shown by their least, mean and greatest") {
    auto many = example_results();
    many.system.clear();
    for (std::int64_t node = 0; node < 40; ++node)
        many.system.push_back({node, 1.0, static_cast<double>(node), 0, 0, 0, 0, 0});
    const auto plots = system_plots(many);
    const auto& cpu = lines(plots, 0).series;
    REQUIRE(cpu.size() == 3);
    CHECK(cpu[0].points == std::vector<PlotPoint>{{1.0, 39.0, {}}});
    CHECK(cpu[1].title == "mean of 40 nodes");
    CHECK(cpu[1].points == std::vector<PlotPoint>{{1.0, 19.5, {}}});
    CHECK(cpu[2].points == std::vector<PlotPoint>{{1.0, 0.0, {}}});
}

TEST_CASE("a run without records has no plots") {
    for (const auto* table : {"epochs", "operators", "operator_totals", "system"})
        CHECK(named_plots(table)({}).empty());
    CHECK_THROWS_AS(named_plots("phases"), UsageError);
}

TEST_CASE("long lines are thinned to means over equal stretches") {
    std::vector<PlotPoint> points;
    for (int i = 0; i < 1000; ++i)
        points.push_back({static_cast<double>(i), static_cast<double>(i % 10), {}});
    const auto thin = thinned(points, 100);
    REQUIRE(thin.size() == 100);
    CHECK(thin[0].x == Approx(4.5));
    CHECK(thin[0].y == Approx(4.5));
    CHECK(thinned(points, 1000) == points);
    const auto bins = binned(points, 1);
    REQUIRE(bins.size() == 1);
    CHECK(bins[0].least == 0.0);
    CHECK(bins[0].greatest == 9.0);
    CHECK(binned({}, 3).empty());
}

TEST_CASE("bars of operators of one name and layer say which kind they are") {
    auto run = example_results();
    auto gradient = run.operators[0];
    gradient.kind = "fused_conv2d_backprop_filter";
    gradient.total_us /= 2;
    run.operators.push_back(gradient);
    const auto bars = std::get<BarPlot>(operator_plots(run).at(0)).bars;
    REQUIRE(bars.size() == 3);
    CHECK(bars[0].label == "_FusedConv2D conv1");
    CHECK(bars[1].label == "CollectiveReduce bucket0");
    CHECK(bars[2].label == "_FusedConv2D conv1 (fused_conv2d_backprop_filter)");
}

TEST_CASE("plots of several runs share their axes, bars stay apart") {
    const std::vector<std::string> labels{"a", "b"};
    auto plots = curve_plots(example_results());
    plots.push_back(operator_plots(example_results()).front());
    const std::vector<std::vector<Plot>> both{plots, plots};
    const auto all = overlaid(labels, both);
    REQUIRE(all.size() == 4);
    CHECK(lines(all, 0).series.size() == 6);
    CHECK(lines(all, 0).series[4].title == "b: train");
    CHECK_FALSE(lines(all, 0).series[3].faint);
    CHECK(std::get<BarPlot>(all[2]).title == "Operators in training: a");
    CHECK(std::get<BarPlot>(all[3]).title == "Operators in training: b");
}
