#include "sweep/sweep_plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/count_text.hpp"
#include "report/gnuplot_script.hpp"

namespace convoy {

namespace {

/// The least and the greatest run at one place of a line; absent for a single run.
std::optional<std::pair<double, double>> spread_at(const ChartSeries& series, double x) {
    std::vector<double> values;
    for (const auto* marks : {&series.dots, &series.rings})
        for (const auto& point : *marks)
            if (point.x == x) values.push_back(point.y);
    if (values.size() < 2) return std::nullopt;
    const auto [least, greatest] = std::ranges::minmax(values);
    return std::pair(least, greatest);
}

/// The whole name of a line.
std::string line_name(const ChartSeries& series, const ChartKey& key) {
    const auto entry = std::ranges::find(key.entries, series.label, &ChartKeyEntry::mark);
    if (entry != key.entries.end()) return entry->label;
    return series.label.empty() ? "median of the repeats" : series.label;
}

/// Each run of a line.
std::vector<PlotDot> runs_of(const ChartSeries& series) {
    std::vector<PlotDot> dots;
    for (const auto& [x, y] : series.dots) dots.push_back({.x = x, .y = y});
    for (const auto& [x, y] : series.rings) dots.push_back({.x = x, .y = y, .hollow = true});
    return dots;
}

/// The title of a chart, and how many of its runs are not quiet, since gnuplot's plots have no note.
template <typename Marks>
std::string title_with_note(const std::string& title, const Marks& marks) {
    std::size_t dots = 0;
    std::size_t rings = 0;
    for (const auto& each : marks) {
        dots += each.dots.size();
        rings += each.rings.size();
    }
    if (rings == 0) return title;
    const auto note = fmt::format("; {} of {} not quiet", rings, count_text(dots + rings, "run"));
    constexpr std::size_t ellipsis = 1;
    return shortened(title, longest_title - ellipsis - note.size()) + note;
}

Plot plot_of(const XyChart& chart, const std::string& name, const ChartKey& key) {
    LinePlot plot{.name = name,
                  .title = title_with_note(chart.title, chart.series),
                  .x_label = chart.x.title,
                  .y_label = chart.y.title,
                  .series = {},
                  .x_logarithmic = chart.x.kind == ScaleKind::logarithmic,
                  .y_logarithmic = chart.y.kind == ScaleKind::logarithmic};
    for (const auto& series : chart.series) {
        const bool is_ideal = series.tone == Tone::grey;
        PlotSeries line{.title = line_name(series, key),
                        .points = {},
                        .marks = !is_ideal,
                        .faint = is_ideal,
                        .dots = runs_of(series)};
        const auto& ticks = chart.x.ticks_at;  // gnuplot marks each place of a logarithmic axis
        for (const auto& [x, y] : series.line)
            if (std::ranges::find(ticks, x) != ticks.end())
                line.points.push_back({.x = x, .y = y, .low_high = spread_at(series, x)});
        plot.series.push_back(std::move(line));
    }
    return plot;
}

Plot plot_of(const DotRowChart& chart, const std::string& name, const ChartKey&) {
    BarPlot plot{.name = name,
                 .title = title_with_note(chart.title + " (median)", chart.rows),
                 .x_label = chart.x.title,
                 .bars = {}};
    for (const auto& row : chart.rows) {
        PlotBar bar{.label = row.label, .value = row.line.value_or(0.0)};
        for (const double run : row.dots) bar.dots.push_back({.x = run});
        for (const double run : row.rings) bar.dots.push_back({.x = run, .hollow = true});
        plot.bars.push_back(std::move(bar));
    }
    return plot;
}

}  // namespace

std::vector<Drawing> drawings_of(const SweepFigures& figures) {
    std::vector<Drawing> drawings;
    for (const auto& figure : figures.figures)
        for (const auto& chart : figure.charts)
            drawings.push_back(std::visit([](const auto& any) { return drawn(any); }, chart));
    auto key = figures.key;
    key.note = figures.note;
    std::ranges::replace(key.note, '\n', ' ');
    if (!drawings.empty()) drawings.push_back(drawn(key));
    return drawings;
}

std::vector<Plot> plots_of(const SweepFigures& figures) {
    std::vector<Plot> plots;
    for (const auto& figure : figures.figures) {
        for (std::size_t i = 0; i < figure.charts.size(); ++i) {
            const auto name = figure.name + (i == 0 ? "" : "_" + std::to_string(i + 1));
            plots.push_back(std::visit([&](const auto& chart) { return plot_of(chart, name, figures.key); },
                                       figure.charts[i]));
        }
    }
    return plots;
}

}  // namespace convoy
