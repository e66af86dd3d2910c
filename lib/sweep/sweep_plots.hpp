#pragma once

#include <istream>
#include <string>
#include <vector>

#include "report/plot.hpp"

namespace convoy {

/// Plots the step time of the runs that are done, from runs.csv. source: its name in errors. Each setting of
/// the other fields is a line over the batch size: the median over the repeats, with a bar from the minimum
/// to the maximum. If batch_size is not a field of the grid, each setting is a bar. Empty if no run is done.
/// Throws DataError if `runs` does not have the columns of runs_table.
std::vector<Plot> step_time_plots(std::istream& runs, const std::string& source);

}  // namespace convoy
