#include "report/course_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "measure/durations.hpp"
#include "report/figures.hpp"
#include "report/plots.hpp"
#include "report/thinned.hpp"
#include "report/time_unit.hpp"

namespace convoy {

namespace {

constexpr std::size_t most_line_points = 240;  ///< what the chart shows apart
constexpr std::size_t most_bands = 120;
constexpr std::size_t time_columns = 30;
constexpr double least_range = 1.01;  ///< of a distribution, also if all times are the same
/// One step that took so many times the median would press all others to the axis.
constexpr double range_for_logarithm = 10.0;

/// The mean of each interval as a line, and its least and greatest as a band.
ChartSeries banded(std::span<const PlotPoint> points, std::size_t intervals) {
    ChartSeries series;
    for (const auto& bin : binned(points, intervals)) {
        series.line.push_back({bin.x, bin.mean});
        series.band.push_back({bin.x, bin.least, bin.greatest});
    }
    return series;
}

/// Step times, sorted, of the steps after the warm-up.
std::vector<double> warm_times(const std::vector<ClusterStep>& steps) {
    const auto cold = left_out_of(std::ssize(steps));
    std::vector<double> times;
    for (auto step = steps.begin() + cold; step != steps.end(); ++step) times.push_back(step->step_us);
    std::ranges::sort(times);
    return times;
}

XyChart times_over_run(const RunResults& results, const std::vector<ClusterStep>& steps, const TimeUnit& unit,
                       ScaleKind kind) {
    std::vector<PlotPoint> points;
    for (const auto& step : steps)
        points.push_back({static_cast<double>(step.step), step.step_us / unit.us, {}});
    const bool few = points.size() <= most_line_points;
    ChartSeries series = banded(points, few ? points.size() : most_bands);
    XyChart chart{.title = "Step time over the run",
                  .description = "The slowest node of each step.",
                  .x = {.title = "step", .whole = true},
                  .y = {.title = unit.name, .kind = kind},
                  .series = {}};
    if (few) {
        series.band.clear();
    } else {
        chart.description += " Line: mean of neighbours. Band: shortest and longest.";
    }
    if (results.step_stride > 1)
        chart.description += fmt::format(" One of every {} steps is shown.", results.step_stride);
    chart.series.push_back(std::move(series));
    return chart;
}

XyChart distribution(const std::vector<double>& sorted_us, const TimeUnit& unit, ScaleKind kind) {
    const std::span<const double> sorted(sorted_us);
    const double least = sorted.front() / unit.us;
    const double greatest = std::max(sorted.back() / unit.us, least * least_range);
    const bool by_factor = kind == ScaleKind::logarithmic && least > 0.0;
    const auto edge = [&](std::size_t column) {
        const double part = static_cast<double>(column) / static_cast<double>(time_columns);
        return by_factor ? least * std::pow(greatest / least, part) : least + (greatest - least) * part;
    };
    ChartSeries series;
    auto next = sorted.begin();
    for (std::size_t i = 0; i < time_columns; ++i) {
        const auto first = next;
        const bool last = i + 1 == time_columns;
        while (next != sorted.end() && (last || *next / unit.us < edge(i + 1))) ++next;
        series.columns.push_back({edge(i), edge(i + 1), static_cast<double>(next - first)});
    }
    const auto shown = [&](double us) { return fmt::format("{:.2f} {}", us / unit.us, unit.name); };
    return {.title = "Distribution of step times",
            .description = fmt::format(
                "Median {}, 99% of the steps up to {}, longest {}; without the warm-up.",
                shown(quantile(sorted, 0.5)), shown(quantile(sorted, 0.99)), shown(sorted.back())),
            .x = {.title = unit.name, .kind = by_factor ? kind : ScaleKind::linear, .from_zero = false},
            .y = {.title = "steps", .whole = true},
            .series = {std::move(series)}};
}

/// Intervals in which each node has a reading.
std::size_t intervals_for(const PointsByNode& nodes) {
    std::size_t fewest = most_bands;
    for (const auto& [node, points] : nodes) fewest = std::min(fewest, points.size());
    return std::max<std::size_t>(fewest, 1);
}

}  // namespace

std::vector<XyChart> step_time_charts(const RunResults& results) {
    const auto steps = cluster_steps(results.steps, results.nodes);
    if (steps.empty()) return {};
    const auto sorted = warm_times(steps);
    const double middle = quantile(std::span<const double>(sorted), 0.5);
    const auto unit = time_unit(middle);
    double longest = 0.0;
    double shortest = sorted.front();
    for (const auto& step : steps) {
        longest = std::max(longest, step.step_us);
        shortest = std::min(shortest, step.step_us);
    }
    const auto kind_for = [&](double greatest) {
        return shortest > 0.0 && greatest > range_for_logarithm * middle ? ScaleKind::logarithmic
                                                                         : ScaleKind::linear;
    };
    return {times_over_run(results, steps, unit, kind_for(longest)),
            distribution(sorted, unit, kind_for(sorted.back()))};
}

std::vector<XyChart> system_charts(const RunResults& results) {
    std::vector<XyChart> charts;
    for (const auto& reading : system_readings(results)) {
        std::vector<PlotPoint> all;
        for (const auto& [node, points] : reading.nodes) all.insert(all.end(), points.begin(), points.end());
        if (all.empty()) continue;
        XyChart chart{.title = reading.title,
                      .description = {},
                      .x = {.title = "s since the node began"},
                      .y = {.title = reading.unit},
                      .series = {banded(all, intervals_for(reading.nodes))}};
        if (reading.nodes.size() > 1) {
            chart.description =
                fmt::format("Line: mean of {} nodes. Band: least and greatest.", reading.nodes.size());
        } else {
            chart.series.front().band.clear();
        }
        charts.push_back(std::move(chart));
    }
    return charts;
}

}  // namespace convoy
