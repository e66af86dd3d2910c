#pragma once

#include "chart/drawing.hpp"
#include "report/plot.hpp"

namespace convoy {

/// Draws a plot as a chart of a page. The same plot as a file is drawn by gnuplot (gnuplot_script).
Drawing drawn(const LinePlot& plot);
Drawing drawn(const BarPlot& plot, double width = chart_width);

}  // namespace convoy
