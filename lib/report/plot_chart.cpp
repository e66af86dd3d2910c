#include "report/plot_chart.hpp"

#include <fmt/format.h>

namespace convoy {

namespace {

ChartSeries series_of(const PlotSeries& plot, Tone tone) {
    ChartSeries series{.label = plot.title, .tone = plot.faint ? Tone::grey : tone, .faint = plot.faint};
    for (const auto& point : plot.points) series.line.push_back({point.x, point.y});
    if (plot.marks) series.dots = series.line;
    return series;
}

}  // namespace

Drawing drawn(const LinePlot& plot) {
    XyChart chart{.title = plot.title,
                  .description = {},
                  .x = {.title = plot.x_label},
                  .y = {.title = plot.y_label, .from_zero = !plot.y_is_share},
                  .series = {}};
    std::size_t coloured = 0;
    for (const auto& series : plot.series)
        chart.series.push_back(series_of(series, tone_of(series.faint ? 0 : coloured++)));
    return drawn(chart);
}

Drawing drawn(const BarPlot& plot, double width) {
    RowChart chart{.title = plot.title, .description = {}, .x_title = plot.x_label};
    for (const auto& bar : plot.bars)
        chart.rows.push_back({.label = bar.label,
                              .pieces = {{0.0, bar.value, Tone::blue}},
                              .end = fmt::format("{:.1f}", bar.value)});
    return drawn(chart, width);
}

}  // namespace convoy
