#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace convoy {

/// A point of a line; low and high, where they are set, are drawn as a bar through it.
struct PlotPoint {
    double x = 0.0, y = 0.0;
    std::optional<std::pair<double, double>> low_high;
    bool operator==(const PlotPoint&) const = default;
};

struct PlotSeries {
    std::string title;
    std::vector<PlotPoint> points;  ///< in order of x, at least one
    bool marks = false;             ///< a mark at each point, which shows also one that is alone
    bool faint = false;             ///< background to the others: grey and thin
    bool operator==(const PlotSeries&) const = default;
};

/// Lines over a common axis.
struct LinePlot {
    std::string name;  ///< letters, digits and '_': an identifier in SVG
    std::string title, x_label, y_label;
    std::vector<PlotSeries> series;
    bool y_is_share = false;     ///< of 1, with an axis around what occurs; else it begins at 0
    bool x_logarithmic = false;  ///< to base 2, with marks at the points themselves
    bool operator==(const LinePlot&) const = default;
};

struct PlotBar {
    std::string label;
    double value = 0.0;
    bool operator==(const PlotBar&) const = default;
};

/// Bars that lie one below the other, each with its label and figure.
struct BarPlot {
    std::string name;  ///< as a LinePlot's
    std::string title, x_label;
    std::vector<PlotBar> bars;
    bool operator==(const BarPlot&) const = default;
};

/// A picture as a value: made by pure functions from records, turned into gnuplot's language by
/// gnuplot_script.
using Plot = std::variant<LinePlot, BarPlot>;

/// The same plots of several runs: lines of all runs share a plot, their titles then begin with the run's
/// label; bars stay apart, and the plot's title ends with it. labels and plots are equally many.
std::vector<Plot> overlaid(std::span<const std::string> labels, std::span<const std::vector<Plot>> plots);

}  // namespace convoy
