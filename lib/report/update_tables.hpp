#pragma once

#include "report/run_record.hpp"
#include "report/table.hpp"

namespace convoy {

/// The updates that servers made from each worker's gradients: their number, their staleness, how many steps
/// the worker was ahead, and the steps whose values came in different versions from several servers. Without
/// rows if workers take each step together.
Table updates_table(const RunResults& results);

/// A histogram: the updates of each staleness, by all servers and from all workers.
Table staleness_table(const RunResults& results);

}  // namespace convoy
