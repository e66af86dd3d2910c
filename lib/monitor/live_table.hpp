#pragma once

#include "monitor/run_figures.hpp"
#include "report/table.hpp"

namespace convoy {

/// One row for each rank that a run has now: its place in the run; loss, speed and waiting of its last steps;
/// processor, memory and traffic by its last readings; and why others wait for it, if they do.
Table live_table(const RunFigures& figures);

}  // namespace convoy
