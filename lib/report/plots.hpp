#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/plot.hpp"
#include "report/run_record.hpp"

namespace convoy {

/// Loss and accuracy by epoch, with the loss of each step drawn behind them, and with the accuracy of each
/// step if there are few epochs. A plot without data is left out.
std::vector<Plot> curve_plots(const RunResults& results);

/// The operators with the longest times in training, as shares of the step time.
std::vector<Plot> operator_plots(const RunResults& results);

/// As operator_plots, with all operators of one name together.
std::vector<Plot> operator_total_plots(const RunResults& results);

/// Values of each node over time.
using PointsByNode = std::map<std::int64_t, std::vector<PlotPoint>>;

/// A figure that each node read of its system.
struct SystemReading {
    std::string name;  ///< as in LinePlot
    std::string title, unit;
    PointsByNode nodes;  ///< x: seconds since the node began; empty if nothing was read
};

/// Processor, memory and traffic over time, of each node.
std::vector<SystemReading> system_readings(const RunResults& results);

/// Processor, memory and traffic over time: one line for each node, or minimum, mean and maximum of many
/// nodes.
std::vector<Plot> system_plots(const RunResults& results);

/// The function that makes the plots of the table with this name. Throws a UsageError that lists all names.
std::vector<Plot> (*named_plots(std::string_view table))(const RunResults&);

}  // namespace convoy
