#pragma once

#include <span>
#include <string>

#include "report/gnuplot.hpp"
#include "sweep/sweep_folder.hpp"
#include "sweep/sweep_spec.hpp"

namespace convoy {

/// Makes a sweep's report.html: a figure of the step time by batch size, the medians of each setting, and all
/// runs. entries: one for each run of the sweep, in its order.
std::string sweep_page(const Sweep& sweep, std::span<const SweepEntry> entries, const Gnuplot& gnuplot);

}  // namespace convoy
