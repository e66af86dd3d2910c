#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "report/trace_events.hpp"
#include "report/trace_exchanges.hpp"

/// Included only by the sources of the trace.
namespace convoy {

/// Writes the slices of one node. The thread 0 is the executor's: each step holds its passes, a pass its
/// operators, and a wait the part of it in which no peer had begun. Each other thread has flights that do not
/// overlap, and in them their time in the queue and their skew.
///
/// A pass is a stretch of operators of one pass. Exchanges between two of its operators belong to it.
void write_node_slices(std::span<const TraceSlice> slices, const TraceClock& clock, TraceEvents& events,
                       RankArrows& arrows);

}  // namespace convoy
