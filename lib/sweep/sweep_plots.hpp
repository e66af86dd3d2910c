#pragma once

#include <filesystem>
#include <vector>

#include "report/csv.hpp"
#include "report/plot.hpp"

namespace convoy {

/// The step time of the runs that are done, from runs.csv: by batch size, a line per setting of the other
/// fields, as the median over the repeats with a bar from the least to the greatest; where batch_size is no
/// field of the grid, a bar per setting. Nothing where no run is done. Throws DataError where it is not what
/// runs_table is written as.
std::vector<Plot> step_time_plots(const CsvTable& runs);

}  // namespace convoy
