#pragma once

#include <array>
#include <string_view>

#include "report/table.hpp"
#include "sweep/sweep_rows.hpp"

namespace convoy {

/// The columns of runs.csv of which train_shares_table is made.
inline constexpr std::array<std::string_view, 4> train_share_columns{"train_s", "exposed_us",
                                                                     "exposed_skew_us", "data_wait_us"};

/// Where the time of training went: one row for each setting, with medians over its runs. Each share is of
/// the time of training, in per cent: exposed communication without the wait for slower nodes, this wait, the
/// wait for data, and the rest, which is mostly computation. Communication and data are means over the
/// nodes; exchanges of evaluations count too. A run without one of the figures is left out. sweep: with the
/// columns train_share_columns.
Table train_shares_table(const SweepRows& sweep);

}  // namespace convoy
