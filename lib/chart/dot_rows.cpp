#include "chart/dot_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "chart/axis_scale.hpp"
#include "chart/svg.hpp"
#include "chart/text_width.hpp"

namespace convoy {

namespace {

constexpr double dot_row_height = 14.0, dot_row_gap = 4.0, dot_tick_distance = 60.0;

/// A chart while it is drawn.
struct DotRowDrawing {
    const DotRowChart& chart;
    double left = 0.0, right = 0.0;  ///< the ends of the axis
    Scale scale = {};
    Svg svg = {};

    [[nodiscard]] bool shows(double value) const {
        return std::isfinite(value) && (scale.kind == ScaleKind::linear || value > 0.0);
    }
    [[nodiscard]] double x(double value) const { return left + scale.place(value) * (right - left); }
};

Scale scale_of_rows(const DotRowChart& chart, double width) {
    Extent extent;
    for (const auto& row : chart.rows) {
        for (const double value : row.dots) extent.add(chart.x, value);
        for (const double value : row.rings) extent.add(chart.x, value);
        if (row.line) extent.add(chart.x, *row.line);
    }
    return scale_for(chart.x, extent, width / dot_tick_distance);
}

/// A row whose name begins at y. Returns where it ends.
double draw_row(DotRowDrawing& drawing, const DotRow& row, double y, double width) {
    for (const auto& line : wrapped_to(row.label, width)) {
        drawing.svg.text({0.0, y + chart_line_height / 2.0}, Anchor::start, line);
        y += chart_line_height;
    }
    const double middle = y + dot_row_height / 2.0;
    drawing.svg.thin_line({drawing.left, middle}, {drawing.right, middle});
    if (row.line && drawing.shows(*row.line)) {
        const std::array<Svg::Place, 2> ends{
            {{drawing.x(*row.line), y}, {drawing.x(*row.line), y + dot_row_height}}};
        drawing.svg.line(ends, Tone::blue);
    }
    for (const double value : row.dots)
        if (drawing.shows(value)) drawing.svg.dot({drawing.x(value), middle}, Tone::blue);
    for (const double value : row.rings)
        if (drawing.shows(value)) drawing.svg.ring({drawing.x(value), middle}, Tone::blue);
    return y + dot_row_height + dot_row_gap;
}

}  // namespace

Drawing drawn(const DotRowChart& chart, double width) {
    DotRowDrawing drawing{.chart = chart, .scale = scale_of_rows(chart, width)};
    drawing.left = text_width(drawing.scale.ticks.front().label) / 2.0;
    drawing.right = width - text_width(drawing.scale.ticks.back().label) / 2.0 - 1.0;
    double bottom = 0.0;
    for (const auto& row : chart.rows) bottom = draw_row(drawing, row, bottom, width);
    for (const auto& tick : drawing.scale.ticks) {
        const double x = drawing.x(tick.value);
        drawing.svg.thin_line({x, bottom}, {x, bottom + dot_row_gap});
        drawing.svg.text({x, bottom + dot_row_gap + chart_line_height / 2.0}, Anchor::middle, tick.label);
    }
    const double title_y = bottom + dot_row_gap + 1.5 * chart_line_height;
    drawing.svg.text({width / 2.0, title_y}, Anchor::middle, shortened_to(chart.x.title, width));
    return {.title = chart.title,
            .description = chart.description,
            .width = width,
            .height = title_y + chart_line_height / 2.0 + 2.0,
            .elements = drawing.svg.take()};
}

}  // namespace convoy
