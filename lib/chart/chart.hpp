#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "chart/scale.hpp"

namespace convoy {

/// Okabe and Ito's colours, which colour-blind people can tell apart, and three greys: one in the middle, one
/// near the page and one near its text. The style sheet has another form of some for dark pages.
enum class Tone : std::uint8_t { blue, vermilion, green, purple, orange, sky, yellow, grey, pale, ink };

/// The colour of the series with this number; colours repeat after six.
Tone tone_of(std::size_t number);

struct ChartPoint {
    double x = 0.0, y = 0.0;
    bool operator==(const ChartPoint&) const = default;
};

/// The range of y at one x.
struct ChartRange {
    double x = 0.0, low = 0.0, high = 0.0;
    bool operator==(const ChartRange&) const = default;
};

/// A column of a histogram, from y = 0.
struct ChartColumn {
    double from = 0.0, to = 0.0;  ///< in x
    double y = 0.0;
    bool operator==(const ChartColumn&) const = default;
};

/// Marks of one colour. Marks that are not finite are left out.
struct ChartSeries {
    std::string label = {};  ///< stands at the line's end; empty: none
    Tone tone = Tone::blue;
    std::vector<ChartPoint> line = {};  ///< in order of x
    std::vector<ChartPoint> dots = {};
    std::vector<ChartPoint> rings = {};  ///< hollow dots
    std::vector<ChartRange> band = {};   ///< in order of x; behind all lines
    std::vector<ChartColumn> columns = {};
    bool dashed = false;
    bool faint = false;  ///< a thin line behind the others
    bool operator==(const ChartSeries&) const = default;
};

struct ChartAxis {
    std::string title = {};  ///< with the unit
    ScaleKind kind = ScaleKind::linear;
    bool from_zero = true;  ///< a linear axis has 0, also if no mark is near
    bool whole = false;     ///< the values are whole numbers
    /// Both: these values are on the axis in any case, so that several charts may have the same axis.
    std::vector<double> covered = {};
    std::vector<double> ticks_at = {};  ///< the only ticks; empty: round values
    bool operator==(const ChartAxis&) const = default;
};

/// Lines, bands, dots and columns over two axes.
struct XyChart {
    std::string title;        ///< for readers who do not see the chart; a page shows it above the chart
    std::string description;  ///< one sentence on what it shows
    ChartAxis x, y;
    std::vector<ChartSeries> series;
    bool operator==(const XyChart&) const = default;
};

/// A piece of a row.
struct RowPiece {
    double from = 0.0, to = 0.0;  ///< on the axis
    Tone tone = Tone::blue;
    std::string words = {};  ///< shown where the reader points at the piece; empty: none
    bool operator==(const RowPiece&) const = default;
};

struct ChartRow {
    std::string label = {};  ///< before the row; empty: the row belongs to the one above
    std::vector<RowPiece> pieces = {};
    std::string end = {};  ///< behind the row
    bool operator==(const ChartRow&) const = default;
};

/// Rows of pieces over a common axis: stacked bars, and time-lines.
struct RowChart {
    std::string title, description;  ///< as in XyChart
    std::string x_title;
    std::vector<std::pair<Tone, std::string>> legend = {};
    std::vector<ChartRow> rows = {};
    double row_height = 16.0;
    double x_least = 0.0;  ///< where the axis begins
    bool operator==(const RowChart&) const = default;
};

/// The width for which text in a chart is as large as on the page, in a column of figures and over the whole
/// page.
inline constexpr double chart_width = 420.0, wide_chart_width = 860.0;

}  // namespace convoy
