#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/gnuplot.hpp"
#include "report/plot.hpp"

namespace convoy {

/// The plots as HTML: each an SVG that takes the page's width and colours. Where gnuplot is missing or cannot
/// draw, one line that says so takes their place: a report without figures is better than none.
std::string html_figures(std::span<const Plot> plots, const Gnuplot& gnuplot);

/// A document that gnuplot drew, as it may stand in a page among others: without its prologue, with
/// identifiers that begin with prefix, and with a label for those who do not see it.
std::string inline_svg(std::string_view document, std::string_view prefix, std::string_view label);

}  // namespace convoy
