#pragma once

#include <span>
#include <string>

#include "sweep/sweep_folder.hpp"
#include "sweep/sweep_spec.hpp"

namespace convoy {

/// Makes a sweep's report.html: its figures (sweep_figures.hpp), the medians of each setting, and all runs
/// with links to their own pages. entries: one for each run of the sweep, in its order.
std::string sweep_page(const Sweep& sweep, std::span<const SweepEntry> entries);

}  // namespace convoy
