#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/records.hpp"

namespace convoy {

/// A node of a trace.
struct TraceNode {
    std::int64_t node = 0;
    std::string host = {};                 ///< name or address; empty if it is not known
    std::optional<std::int64_t> pid = {};  ///< of its process
    std::optional<int> threads = {};       ///< that compute
    ClockOffset clock = {};
};

/// A run, as trace.json shows it.
struct TraceSource {
    std::string name, run_id;
    std::string version;           ///< of convoy
    std::vector<TraceNode> nodes;  ///< in ascending order
    /// The slices of one node, which stay the same between two calls.
    std::function<std::vector<TraceSlice>(std::int64_t node)> slices_of;
    /// Calls `take` with each reading of a node, in order of time.
    std::function<void(std::int64_t node, const std::function<void(const SystemSample&)>& take)> readings_of;
};

/// Makes trace.json: slices, arrows and counters of all nodes in Chrome's trace event format (an object with
/// an array of events), which Perfetto and chrome://tracing open. RUN_FOLDER.md says what it shows. Each node
/// is a process. Slices of a thread are nested or apart.
///
/// All times are on the launcher's clock, see TraceClock. Time 0 is the first slice. Times are microseconds
/// with nanosecond digits.
///
/// source.slices_of is called twice for each node. The slices of one node are in memory at a time, and the
/// last flight of each exchange. write: takes one piece of the file after another.
void write_trace_json(const TraceSource& source, const std::function<void(std::string_view)>& write);

}  // namespace convoy
