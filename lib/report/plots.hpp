#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/plot.hpp"
#include "report/run_record.hpp"

namespace convoy {

/// Loss and accuracy by epoch; behind them the loss of each step, and its accuracy where there are few
/// epochs. Where a run has none of either, the plot is left out.
std::vector<Plot> curve_plots(const RunResults& results);

/// The share in the step time of the operators that took longest in training.
std::vector<Plot> operator_plots(const RunResults& results);

/// As operator_plots, the operators of one kind together.
std::vector<Plot> operator_total_plots(const RunResults& results);

/// Processor, memory and traffic over time: a line per node, or the least, mean and greatest of many nodes.
std::vector<Plot> system_plots(const RunResults& results);

/// The plots of a table that users name. Throws UsageError with the names that there are.
std::vector<Plot> (*named_plots(std::string_view table))(const RunResults&);

}  // namespace convoy
