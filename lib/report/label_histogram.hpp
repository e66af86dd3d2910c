#pragma once

#include <cstdint>
#include <vector>

#include "chart/chart.hpp"
#include "report/run_record.hpp"
#include "report/table.hpp"

namespace convoy {

/// One row of label_histogram.csv: the training examples of one class that a node takes in its first epoch.
struct LabelCount {
    std::int64_t node = 0, label = 0, examples = 0;
    bool operator==(const LabelCount&) const = default;
};

/// One for each node and class, by node, then by label. Nodes without labels have none.
std::vector<LabelCount> label_counts(const RunResults& results);

/// The same as a table, with the share of each class in the examples of the node.
Table label_histogram_table(const RunResults& results);

/// A row of stacked bars for each node, one piece for each class: at most the first 24 nodes. No rows if no
/// node told its labels.
RowChart label_histogram_chart(const RunResults& results);

}  // namespace convoy
