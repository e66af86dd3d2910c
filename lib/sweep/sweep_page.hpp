#pragma once

#include <span>
#include <string>

#include "report/gnuplot.hpp"
#include "sweep/sweep_folder.hpp"
#include "sweep/sweep_spec.hpp"

namespace convoy {

/// A sweep's report.html: step time by batch size as a figure, the medians of each setting, and every run.
/// entries: one per run of the sweep, in its order.
std::string sweep_page(const Sweep& sweep, std::span<const SweepEntry> entries, const Gnuplot& gnuplot);

}  // namespace convoy
