#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "chart/axis_scale.hpp"
#include "chart/drawing.hpp"
#include "chart/label_places.hpp"
#include "chart/svg.hpp"
#include "chart/text_width.hpp"

namespace convoy {

namespace {

/// The height of the room between the axes; more if labels need it.
constexpr double plain_height = 180.0;
/// The most of the width that the labels at line ends may take.
constexpr double most_for_labels = 0.42;
/// From a line's end to its label.
constexpr double leader = 14.0;
/// The least distances between two ticks.
constexpr double tick_distance_x = 55.0, tick_distance_y = 34.0;

bool finite(double x, double y) {
    return std::isfinite(x) && std::isfinite(y);
}

/// A chart while it is drawn.
struct XyDrawing {
    const XyChart& chart;
    double left = 0.0, right = 0.0, top = 0.0, bottom = 0.0;  ///< of the room between the axes
    Scale x_scale = {}, y_scale = {};
    Svg svg = {};

    [[nodiscard]] bool shows(double x, double y) const {
        return finite(x, y) && (x_scale.kind == ScaleKind::linear || x > 0.0) &&
               (y_scale.kind == ScaleKind::linear || y > 0.0);
    }
    [[nodiscard]] Svg::Place place(double x, double y) const {
        return {left + x_scale.place(x) * (right - left), bottom - y_scale.place(y) * (bottom - top)};
    }
};

void set_scales(XyDrawing& drawing, double height, double width) {
    const auto& [title, description, x_axis, y_axis, all] = drawing.chart;
    Extent x;
    Extent y;
    const auto add = [&x, &y, &x_axis = x_axis, &y_axis = y_axis](double at, double value) {
        x.add(x_axis, at);
        y.add(y_axis, value);
    };
    for (const auto& series : all) {
        for (const auto& point : series.line) add(point.x, point.y);
        for (const auto& point : series.dots) add(point.x, point.y);
        for (const auto& point : series.rings) add(point.x, point.y);
        for (const auto& range : series.band) {
            add(range.x, range.low);
            add(range.x, range.high);
        }
        for (const auto& column : series.columns) {
            add(column.from, column.y);
            add(column.to, column.y);
        }
    }
    drawing.x_scale = scale_for(x_axis, x, width / tick_distance_x);
    drawing.y_scale = scale_for(y_axis, y, height / tick_distance_y);
}

void draw_axes(XyDrawing& drawing, double width) {
    auto& svg = drawing.svg;
    const auto& [title, description, x_axis, y_axis, all] = drawing.chart;
    double above = std::numeric_limits<double>::infinity();  // the last label's place
    for (const auto& tick : drawing.y_scale.ticks) {
        const double y = drawing.bottom - drawing.y_scale.place(tick.value) * (drawing.bottom - drawing.top);
        svg.thin_line({drawing.left, y}, {drawing.right, y});
        if (above - y < chart_line_height) continue;
        svg.text({drawing.left - chart_gap, y}, Anchor::end, tick.label);
        above = y;
    }
    double taken = -std::numeric_limits<double>::infinity();  // up to here there are labels
    for (const auto& tick : drawing.x_scale.ticks) {
        const double x = drawing.left + drawing.x_scale.place(tick.value) * (drawing.right - drawing.left);
        svg.thin_line({x, drawing.bottom}, {x, drawing.bottom + chart_gap / 2.0});
        const double half = text_width(tick.label) / 2.0;
        if (x - half < taken + chart_gap) continue;
        svg.text({x, drawing.bottom + chart_line_height}, Anchor::middle, tick.label);
        taken = x + half;
    }
    const double middle = (drawing.left + drawing.right) / 2.0;
    svg.text({middle, drawing.bottom + 2.0 * chart_line_height}, Anchor::middle,
             shortened_to(x_axis.title, 2.0 * std::min(middle, width - middle)));
}

void draw_line(XyDrawing& drawing, const ChartSeries& series) {
    std::vector<Svg::Place> points;
    for (const auto& [x, y] : series.line)
        if (drawing.shows(x, y)) points.push_back(drawing.place(x, y));
    if (points.size() > 1)
        drawing.svg.line(points, series.tone, series.faint ? "faint" : series.dashed ? "dashed" : "");
    const bool has_dots = !series.dots.empty() || !series.rings.empty();
    if (points.size() == 1 && !has_dots) drawing.svg.dot(points.front(), series.tone);
    for (const auto& [x, y] : series.dots)
        if (drawing.shows(x, y)) drawing.svg.dot(drawing.place(x, y), series.tone);
    for (const auto& [x, y] : series.rings)
        if (drawing.shows(x, y)) drawing.svg.ring(drawing.place(x, y), series.tone);
}

void draw_areas(XyDrawing& drawing, const ChartSeries& series) {
    std::vector<Svg::Place> outline;
    for (const auto& [x, low, high] : series.band)
        if (drawing.shows(x, low) && drawing.shows(x, high)) outline.push_back(drawing.place(x, high));
    for (auto range = series.band.rbegin(); range != series.band.rend(); ++range)
        if (drawing.shows(range->x, range->low) && drawing.shows(range->x, range->high))
            outline.push_back(drawing.place(range->x, range->low));
    if (outline.size() > 2) drawing.svg.area(outline, series.tone);
    for (const auto& [from, to, y] : series.columns) {
        if (!drawing.shows(from, y) || !drawing.shows(to, y)) continue;
        const auto corner = drawing.place(from, y);
        drawing.svg.box(corner, drawing.place(to, y).x - corner.x, drawing.bottom - corner.y, series.tone);
    }
}

/// Where a label's line ends.
struct LineEnd {
    const ChartSeries* series;
    Svg::Place at;
};

std::vector<LineEnd> line_ends(const XyDrawing& drawing) {
    std::vector<LineEnd> ends;
    for (const auto& series : drawing.chart.series) {
        if (series.label.empty()) continue;
        const auto& points = series.line.empty() ? series.dots : series.line;
        const auto last = std::find_if(points.rbegin(), points.rend(), [&](const ChartPoint& point) {
            return drawing.shows(point.x, point.y);
        });
        if (last != points.rend()) ends.push_back({&series, drawing.place(last->x, last->y)});
    }
    return ends;
}

void draw_labels(XyDrawing& drawing, double width) {
    const auto ends = line_ends(drawing);
    std::vector<double> wanted;
    for (const auto& end : ends) wanted.push_back(end.at.y);
    const double half = chart_line_height / 2.0;
    // The lowest label stays above the x axis's.
    const auto places =
        label_places(wanted, chart_line_height, drawing.top + half, drawing.bottom - chart_gap / 2.0);
    const double x = drawing.right + leader;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const std::array<Svg::Place, 2> lead{{{drawing.right + 2.0, ends[i].at.y}, {x - 3.0, places[i]}}};
        drawing.svg.line(lead, ends[i].series->tone, ends[i].series->dashed ? "dashed" : "");
        drawing.svg.text({x, places[i]}, Anchor::start, shortened_to(ends[i].series->label, width - x));
    }
}

}  // namespace

Tone tone_of(std::size_t number) {
    constexpr std::array<Tone, 6> tones{Tone::blue,   Tone::vermilion, Tone::green,
                                        Tone::purple, Tone::orange,    Tone::sky};
    return tones.at(number % tones.size());
}

Drawing drawn(const XyChart& chart, double width) {
    double labels = 0.0;
    std::size_t labelled = 0;
    for (const auto& series : chart.series) {
        labels = std::max(labels, text_width(series.label));
        if (!series.label.empty()) ++labelled;
    }
    const double height = std::max(plain_height, chart_line_height * static_cast<double>(labelled + 1));
    XyDrawing drawing{.chart = chart};
    drawing.top = chart.y.title.empty() ? chart_line_height / 2.0 : 1.6 * chart_line_height;
    drawing.bottom = drawing.top + height;
    set_scales(drawing, height, width);
    for (const auto& tick : drawing.y_scale.ticks)
        drawing.left = std::max(drawing.left, text_width(tick.label) + chart_gap);
    drawing.left = std::max(drawing.left, text_width(drawing.x_scale.ticks.front().label) / 2.0);
    const double last_tick = text_width(drawing.x_scale.ticks.back().label) / 2.0;
    labels = std::min(labels, most_for_labels * width);
    drawing.right = width - std::max(labels > 0.0 ? labels + leader : 0.0, last_tick) - 1.0;
    // With less room for the x axis there are fewer ticks.
    set_scales(drawing, height, drawing.right - drawing.left);

    drawing.svg.text({0.0, chart_line_height / 2.0}, Anchor::start, shortened_to(chart.y.title, width));
    draw_axes(drawing, width);
    for (const auto& series : chart.series) draw_areas(drawing, series);
    for (const bool faint : {true, false})
        for (const auto& series : chart.series)
            if (series.faint == faint) draw_line(drawing, series);
    draw_labels(drawing, width);
    return {.title = chart.title,
            .description = chart.description,
            .width = width,
            .height = drawing.bottom + 2.5 * chart_line_height + 2.0,
            .elements = drawing.svg.take()};
}

}  // namespace convoy
