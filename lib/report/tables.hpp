#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "report/run_record.hpp"
#include "report/table.hpp"

namespace convoy {

/// The time of each operator, over all nodes and epochs of a phase. The longest time comes first; below each
/// fused kernel are the operators that were folded into it. mean is exact. p50 and p99 are means of the
/// percentiles of single (node, epoch) rows in operators.csv, weighted by calls. share is relative to the
/// step time of the phase (training), or to the time of all operators of the phase.
Table operators_table(const RunResults& results);

/// As operators_table, with one row for all operators of one name (Conv2D), and without folded operators.
/// `layers` is the number of layers or buckets that have them.
Table operator_totals_table(const RunResults& results);

/// How a table of operators' totals sums up.
struct TotalsForm {
    std::string of = "over all nodes";  ///< ends the title
    /// Calls and times are divided by this: a number of epochs, steps or nodes. Means of calls and shares are
    /// not.
    double parts = 1.0;
    bool in_us = false;  ///< for people: microseconds in place of milliseconds
};
/// operator_totals_table in another form.
Table operator_totals_table(const RunResults& results, const TotalsForm& form);

/// Seconds of each node in each phase of the run.
Table phases_table(const RunResults& results);

/// Seconds of each node in each stage of the input pipeline, over all threads, and the seconds in which
/// training waited.
Table input_pipeline_table(const RunResults& results);

/// Losses, accuracies and times per epoch.
Table epochs_table(const RunResults& results);

/// Processor, memory and traffic per node, from the samples.
Table system_table(const RunResults& results);

/// Processor, memory and traffic of the master (rank 0), of a slave (the mean of the other nodes, if there
/// are any) and of the cluster. Percentages of the cluster are means over its nodes, bytes are sums.
/// `cpu_share` is what a place used of the processor time that it may use.
Table utilisation_table(const RunResults& results);

/// Bytes and times of communication per node. exposed_share: the part of its training steps in which a node
/// stood still for exchanges; for a stage of a pipeline, its idle share.
Table network_table(const RunResults& results);

/// Resident memory per node.
Table memory_table(const RunResults& results);

/// One row with the results of a run.
Table final_table(const RunResults& results);

/// A table that users can name.
struct NamedTable {
    std::string_view name;
    Table (*make)(const RunResults&);
};
std::span<const NamedTable> named_tables();
/// The names of all tables, as in "operators, operator_totals, ...".
std::string table_names();

/// The function that makes the table with this name. Throws a UsageError that lists all names.
Table (*named_table(std::string_view name))(const RunResults&);

}  // namespace convoy
