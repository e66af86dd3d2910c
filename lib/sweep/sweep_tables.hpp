#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/table.hpp"
#include "sweep/sweep_folder.hpp"
#include "sweep/sweep_rows.hpp"
#include "sweep/sweep_spec.hpp"

namespace convoy {

/// The table of runs.csv: one row for each run, with its settings, its state and its results. entries: one
/// for each run of the sweep, in its order.
Table runs_table(const Sweep& sweep, std::span<const SweepEntry> entries);

/// The rows of a runs_table, as read_sweep_rows finds them in runs.csv.
SweepRows rows_in(const Table& runs, std::span<const std::string_view> figures,
                  std::span<const std::string_view> newer_figures = {});

/// One row for each setting: the median of each result over the repeats that are done, with the minimum and
/// the maximum; also speed-up and efficiency if the grid varies `nodes` (scaling_columns.hpp).
Table medians_table(const Sweep& sweep, std::span<const SweepEntry> entries);

/// The same for scripts: one column for each number. Settings are numbers where they are numbers, and an
/// object has a column for each of its fields, as in `strategy.name`. FIGURE_median, FIGURE_least and
/// FIGURE_greatest are over the `runs` that are done; `not_quiet` of them are not quiet. Speed-up and
/// efficiency come last if the grid varies `nodes`.
Table medians_data(const Sweep& sweep, std::span<const SweepEntry> entries);

/// How many runs that are done are not quiet (report/measurement.hpp), as a line that ends in a line feed, or
/// "measurement: all 18 runs are quiet". Empty if no run tells.
std::string measurement_line(std::span<const SweepEntry> entries);

/// Whether to trust the figures of a sweep, in lines that end in a line feed: measurement_line, and the lines
/// of repetition.hpp about outliers, precision and undisturbed runs.
std::string trust_lines(const Sweep& sweep, std::span<const SweepEntry> entries);

/// The table of `convoy sweep --list`: one row for each run, with its identity and state.
Table plan_table(const Sweep& sweep, std::span<const SweepEntry> entries);

}  // namespace convoy
