#pragma once

#include <string>
#include <variant>
#include <vector>

#include "chart/chart.hpp"
#include "chart/chart_key.hpp"
#include "chart/dot_rows.hpp"
#include "sweep/sweep_rows.hpp"

namespace convoy {

using SweepChart = std::variant<XyChart, DotRowChart>;

/// One quantity of a sweep. There is a chart for each combination of the factors that are panels; the charts
/// have the same axes.
struct SweepFigure {
    std::string name;  ///< letters and '_'
    std::string title;
    std::vector<SweepChart> charts;
};

/// The figures of a sweep.
struct SweepFigures {
    std::vector<SweepFigure> figures;
    /// The names of the lines, for all figures, if they are too long to stand at the lines' ends; these have
    /// the numbers of the key then. Without entries if the names stand there.
    ChartKey key;
    std::string note;  ///< how to read the figures: lines of text
};

/// Makes the figures of the runs that are done: throughput, speed-up and efficiency if nodes vary, else step
/// time. Each run is a dot, a hollow one if the run is not quiet; lines go through the medians of the
/// repeats. choose_axes says which factor is x, colour and panels. Without a numeric factor each setting is a
/// row of dots. Empty if no run is done. sweep: with the figures measured_columns.
SweepFigures sweep_figures(const SweepRows& sweep);

}  // namespace convoy
