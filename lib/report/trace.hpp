#pragma once

#include <string>
#include <vector>

#include "measure/records.hpp"

namespace convoy {

/// Makes trace.json: the slices of all nodes in Chrome's trace event format (a JSON array inside an object),
/// which chrome://tracing and Perfetto open. Each node is a process, and each track is a thread. Slices of a
/// track that overlap are put on further threads ("communication", "communication 2", ...).
///
/// All times are on the launcher's clock: the time of a slice plus the node's clock offset. The offset
/// changes linearly from its value at the node's first slice to its value at the last slice. Time 0 is the
/// first slice. Times are microseconds with nanosecond digits.
std::string trace_json(const std::vector<TraceSlice>& slices, const std::vector<NodeSummary>& summaries);

}  // namespace convoy
