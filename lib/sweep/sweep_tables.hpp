#pragma once

#include <span>

#include "report/table.hpp"
#include "sweep/sweep_folder.hpp"
#include "sweep/sweep_spec.hpp"

namespace convoy {

/// One row per run: its settings first, then its state and figures. What runs.csv holds. entries: one per run
/// of the sweep, in its order.
Table runs_table(const Sweep& sweep, std::span<const SweepEntry> entries);

/// One row per setting: the median of each figure over the repeats that are done, with the smallest and the
/// largest.
Table medians_table(const Sweep& sweep, std::span<const SweepEntry> entries);

/// One row per run, with its identity and state: what `convoy sweep --list` prints.
Table plan_table(const Sweep& sweep, std::span<const SweepEntry> entries);

}  // namespace convoy
