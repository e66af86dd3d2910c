#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "measure/records.hpp"

namespace convoy {

/// The slices of one node, which stay the same between two calls.
using SlicesOfNode = std::function<std::vector<TraceSlice>(std::int64_t node)>;

/// Makes trace.json: the slices of all nodes in Chrome's trace event format (a JSON array inside an object),
/// which chrome://tracing and Perfetto open. Each node is a process, and each track is a thread. Slices of a
/// track that overlap are put on further threads ("communication", "communication 2", ...).
///
/// All times are on the launcher's clock: the time of a slice plus the node's clock offset. The offset
/// changes linearly from its value at the node's first slice to its value at the last slice. Time 0 is the
/// first slice. Times are microseconds with nanosecond digits.
///
/// nodes: in ascending order. slices_of: called twice for each node; the slices of one node are in memory at
/// a time. write: takes one piece of the file after another.
void write_trace_json(std::span<const std::int64_t> nodes, const SlicesOfNode& slices_of,
                      std::span<const NodeSummary> summaries,
                      const std::function<void(std::string_view)>& write);

}  // namespace convoy
