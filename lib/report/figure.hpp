#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/gnuplot.hpp"
#include "report/plot.hpp"

namespace convoy {

/// Makes HTML of plots: one SVG for each plot, in the width and the colours of the page. If gnuplot is
/// missing or cannot draw, the result is one line that says so, since a report without figures is better than
/// no report.
std::string html_figures(std::span<const Plot> plots, const Gnuplot& gnuplot);

/// Changes an SVG document of gnuplot so that it can stand in a page beside others. It removes the prologue,
/// adds `prefix` to all identifiers, and adds a label for readers who do not see the figure.
std::string inline_svg(std::string_view document, std::string_view prefix, std::string_view label);

}  // namespace convoy
