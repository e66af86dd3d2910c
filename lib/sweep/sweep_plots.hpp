#pragma once

#include <vector>

#include "chart/drawing.hpp"
#include "report/plot.hpp"
#include "sweep/sweep_figures.hpp"

namespace convoy {

/// The figures of a sweep, drawn one after the other; last the key, with the note.
std::vector<Drawing> drawings_of(const SweepFigures& figures);

/// The same figures for gnuplot, which writes the formats that are no SVG: lines through medians, with bars
/// from the least run to the greatest, or a bar for each setting.
std::vector<Plot> plots_of(const SweepFigures& figures);

}  // namespace convoy
