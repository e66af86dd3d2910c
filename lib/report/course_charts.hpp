#pragma once

#include <vector>

#include "chart/chart.hpp"
#include "report/run_record.hpp"

namespace convoy {

/// The time of the steps over the run, and how often each time occurred. Of each step, the time of the
/// slowest node. Empty without steps.
std::vector<XyChart> step_time_charts(const RunResults& results);

/// Processor, memory and traffic over time: the mean of the nodes as a line, and their least and greatest as
/// a band. A chart without data is left out.
std::vector<XyChart> system_charts(const RunResults& results);

}  // namespace convoy
