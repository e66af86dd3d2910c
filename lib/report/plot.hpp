#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace convoy {

/// A point of a line. If low and high are set, they are drawn as a bar through the point.
struct PlotPoint {
    double x = 0.0, y = 0.0;
    std::optional<std::pair<double, double>> low_high;
    bool operator==(const PlotPoint&) const = default;
};

/// One measurement behind a median. Hollow if its run is not quiet.
struct PlotDot {
    double x = 0.0, y = 0.0;
    bool hollow = false;
    bool operator==(const PlotDot&) const = default;
};

/// One line of a plot.
struct PlotSeries {
    std::string title;
    std::vector<PlotPoint> points;   ///< in order of x, at least one
    bool marks = false;              ///< a mark at each point, which also shows a single point
    bool faint = false;              ///< drawn grey and thin, behind the other lines
    std::vector<PlotDot> dots = {};  ///< drawn over the line, in its colour, by gnuplot only
    bool operator==(const PlotSeries&) const = default;
};

/// Lines over a common axis.
struct LinePlot {
    std::string name;  ///< letters, digits and '_': an identifier in SVG
    std::string title, x_label, y_label;
    std::vector<PlotSeries> series;
    /// True: y is in [0, 1], and the axis covers the values; false: the axis begins at 0.
    bool y_is_share = false;
    bool x_logarithmic = false;  ///< to base 2, with tics at the points
    bool y_logarithmic = false;  ///< all y are positive
    bool operator==(const LinePlot&) const = default;
};

struct PlotBar {
    std::string label;
    double value = 0.0;
    std::vector<PlotDot> dots = {};  ///< drawn on the bar by gnuplot only: x is on its axis, y is not used
    bool operator==(const PlotBar&) const = default;
};

/// Horizontal bars, one below the other, each with its label and value.
struct BarPlot {
    std::string name;  ///< as in LinePlot
    std::string title, x_label;
    std::vector<PlotBar> bars;
    bool operator==(const BarPlot&) const = default;
};

/// A picture as a value. Pure functions make it from records, and gnuplot_script turns it into gnuplot's
/// language.
using Plot = std::variant<LinePlot, BarPlot>;

/// Combines the same plots of several runs. Lines of all runs share a plot, and their titles begin with the
/// run's label. Bar plots stay apart, and their titles end with the run's label. labels and plots: one for
/// each run.
std::vector<Plot> overlaid(std::span<const std::string> labels, std::span<const std::vector<Plot>> plots);

}  // namespace convoy
