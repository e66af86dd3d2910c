#pragma once

#include "report/run_record.hpp"
#include "report/table.hpp"

namespace convoy {

/// How nodes share the layers that a strategy cuts: a row for each layer and each node that holds a part of
/// its weight. Columns: places of the cut axis (kernels or units) and their share; the node's computation in
/// this layer for a step, forward and backward; and this computation over the mean of the nodes that share
/// the layer (`of_mean_pct`): the largest is the layer's imbalance. No rows if nothing is cut.
Table parts_table(const RunResults& results);

}  // namespace convoy
