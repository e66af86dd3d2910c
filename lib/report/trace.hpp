#pragma once

#include <string>
#include <vector>

#include "measure/records.hpp"

namespace convoy {

/// trace.json: the slices of all nodes in Chrome's trace event format (JSON array inside an object), which
/// chrome://tracing and Perfetto open. One process per node, one thread per track; slices of a track that
/// overlap are spread over further threads ("communication", "communication 2", ...). All nodes stand on the
/// launcher's clock: a slice's time plus the node's clock offset, which goes linearly from its value at the
/// node's first slice to that at its last. Time 0 is the first slice. Times are microseconds with nanosecond
/// digits.
std::string trace_json(const std::vector<TraceSlice>& slices, const std::vector<NodeSummary>& summaries);

}  // namespace convoy
