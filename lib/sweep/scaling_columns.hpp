#pragma once

#include "report/table.hpp"
#include "sweep/sweep_rows.hpp"

namespace convoy {

/// Adds speed-up and efficiency behind the throughput in a medians_table, for people: "1.90 [1.85, 1.96]".
/// The title names the baseline. The table stays as it is if `nodes` does not vary. sweep: the same sweep,
/// with the figure examples_per_second.
Table with_scaling(Table medians, const SweepRows& sweep);

/// The same for scripts, at the end of a medians_data: baseline_nodes, and median, least and greatest of
/// speedup and efficiency.
Table with_scaling_data(Table medians, const SweepRows& sweep);

}  // namespace convoy
