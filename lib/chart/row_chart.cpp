#include <algorithm>
#include <cmath>

#include "chart/drawing.hpp"
#include "chart/svg.hpp"
#include "chart/text_width.hpp"

namespace convoy {

namespace {

constexpr double row_gap = 2.0, group_gap = 4.0, swatch = 10.0;
/// The most of the width that the rows' labels may take, and the texts behind the rows.
constexpr double most_for_row_labels = 0.45, most_for_ends = 0.3;
/// The least distance between two ticks.
constexpr double tick_distance = 60.0;
/// What differences of lengths lose must not cut a text.
constexpr double rounding = 0.01;
/// Thinner pieces could not be seen.
constexpr double least_piece = 0.4;

/// A chart while it is drawn.
struct RowDrawing {
    const RowChart& chart;
    double width;
    double left = 0.0, right = 0.0;  ///< the ends of the axis on the page
    Scale scale = {};
    Svg svg = {};

    [[nodiscard]] double x(double value) const { return left + scale.place(value) * (right - left); }
};

double widest(const RowChart& chart, std::string ChartRow::*text, double most) {
    double width = 0.0;
    for (const auto& row : chart.rows) width = std::max(width, text_width(row.*text));
    return std::min(width, most);
}

/// The legend's entries, in as many lines as they need. Returns where it ends.
double draw_legend(RowDrawing& drawing) {
    double x = 0.0;
    double y = 0.0;
    for (const auto& [tone, words] : drawing.chart.legend) {
        const auto text = shortened_to(words, drawing.width - swatch - chart_gap);
        const double taken = swatch + chart_gap / 2.0 + text_width(text);
        if (x > 0.0 && x + taken > drawing.width) {
            x = 0.0;
            y += chart_line_height;
        }
        drawing.svg.box({x, y + (chart_line_height - swatch) / 2.0}, swatch, swatch, tone);
        drawing.svg.text({x + swatch + chart_gap / 2.0, y + chart_line_height / 2.0}, Anchor::start, text);
        x += taken + 2.0 * chart_gap;
    }
    return drawing.chart.legend.empty() ? 0.0 : y + chart_line_height + chart_gap;
}

/// The rows below `top`. Returns where they end.
double draw_rows(RowDrawing& drawing, double top) {
    const auto& chart = drawing.chart;
    double y = top;
    bool in_group = false;
    double below_text = top;  // where the next text may begin
    for (const auto& row : chart.rows) {
        const bool has_text = !row.label.empty() || !row.end.empty();
        const double middle_needed = below_text + chart_line_height / 2.0;
        if (has_text) y = std::max(y, middle_needed - chart.row_height / 2.0);
        // Rows that belong together stand apart from the next.
        if (has_text && in_group) y += group_gap;
        in_group = !has_text;
        const double middle = y + chart.row_height / 2.0;
        for (const auto& piece : row.pieces) {
            if (!std::isfinite(piece.from) || !std::isfinite(piece.to) || piece.to <= piece.from) continue;
            const double from = drawing.x(piece.from);
            drawing.svg.box({from, y}, std::max(drawing.x(piece.to) - from, least_piece), chart.row_height,
                            piece.tone, piece.words);
        }
        drawing.svg.text({drawing.left - chart_gap, middle}, Anchor::end,
                         shortened_to(row.label, drawing.left - chart_gap + rounding));
        drawing.svg.text({drawing.right + chart_gap, middle}, Anchor::start,
                         shortened_to(row.end, drawing.width - drawing.right - chart_gap + rounding));
        if (has_text) below_text = middle + chart_line_height / 2.0;
        y += chart.row_height + row_gap;
    }
    return std::max(y, below_text);
}

}  // namespace

Drawing drawn(const RowChart& chart, double width) {
    double least = chart.x_least;
    double greatest = chart.x_least;
    for (const auto& row : chart.rows) {
        for (const auto& piece : row.pieces) {
            if (std::isfinite(piece.from)) least = std::min(least, piece.from);
            if (std::isfinite(piece.to)) greatest = std::max(greatest, piece.to);
        }
    }
    RowDrawing drawing{.chart = chart, .width = width};
    drawing.left = widest(chart, &ChartRow::label, most_for_row_labels * width) + chart_gap;
    const double ends = widest(chart, &ChartRow::end, most_for_ends * width);
    const auto ticks = std::max(2.0, (width - drawing.left - ends) / tick_distance);
    drawing.scale = scale_of(ScaleKind::linear, least, greatest, static_cast<std::size_t>(ticks));
    const double last_tick = text_width(drawing.scale.ticks.back().label) / 2.0;
    drawing.right = width - std::max(ends + chart_gap, last_tick + 1.0);

    const double top = draw_legend(drawing);
    Svg rows = std::move(drawing.svg);
    drawing.svg = {};
    const double bottom = draw_rows(drawing, top);
    // The axis lies behind the rows.
    for (const auto& tick : drawing.scale.ticks) {
        rows.thin_line({drawing.x(tick.value), top}, {drawing.x(tick.value), bottom});
        rows.text({drawing.x(tick.value), bottom + chart_line_height / 2.0}, Anchor::middle, tick.label);
    }
    const double title_y = bottom + 1.5 * chart_line_height;
    rows.text({width / 2.0, title_y}, Anchor::middle, shortened_to(chart.x_title, width));
    return {.title = chart.title,
            .description = chart.description,
            .width = width,
            .height = title_y + chart_line_height / 2.0 + 2.0,
            .elements = rows.take() + drawing.svg.take()};
}

}  // namespace convoy
