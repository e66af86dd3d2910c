#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "report/run_record.hpp"
#include "report/table.hpp"

namespace convoy {

/// Time per operator, over all nodes and epochs of a phase; the longest first, and below each fused kernel
/// what was folded into it. mean is exact; p50 and p99 are the means of the (node, epoch) rows' percentiles,
/// weighted by their calls: operators.csv has them one by one. share is of the phase's step time (training)
/// or of all its operators' time.
Table operators_table(const RunResults& results);

/// As operators_table, the operators of one kind (Conv2D) as one row, and without what is folded into others.
Table operator_totals_table(const RunResults& results);

/// Seconds per node in each part of the run.
Table phases_table(const RunResults& results);

/// Seconds per node that each stage of the input pipeline took, in whichever thread, and that training
/// waited.
Table input_pipeline_table(const RunResults& results);

/// Losses, accuracies and times per epoch.
Table epochs_table(const RunResults& results);

/// Processor, memory and traffic per node, from the samples.
Table system_table(const RunResults& results);

/// Processor, memory and traffic of the master (rank 0) and of the cluster: percentages are means over its
/// nodes, bytes are sums.
Table utilisation_table(const RunResults& results);

/// Bytes and times of communication per node.
Table network_table(const RunResults& results);

/// Resident memory per node.
Table memory_table(const RunResults& results);

/// One row with what a run came to.
Table final_table(const RunResults& results);

/// A table that users can name.
struct NamedTable {
    std::string_view name;
    Table (*make)(const RunResults&);
};
std::span<const NamedTable> named_tables();
/// Their names, "operators, operator_totals, ...".
std::string table_names();

/// What makes the table of this name. Throws UsageError with the names that there are.
Table (*named_table(std::string_view name))(const RunResults&);

}  // namespace convoy
