#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "report/trace_clock.hpp"
#include "report/trace_events.hpp"

/// Included only by the sources of the trace.
namespace convoy {

/// Writes the readings of one node as counters: CPU, memory, and bytes on its connections. A reading is
/// written if the time since the reading before it touches a traced step, so their number is bounded by the
/// time that the trace shows.
class TraceCounters {
  public:
    /// slices: those of the node.
    TraceCounters(std::span<const TraceSlice> slices, const TraceClock& clock, TraceEvents& events);

    /// Takes the next reading, in order of time. A reading without a time on the node's clock is left out.
    void add(const SystemSample& reading);

  private:
    [[nodiscard]] bool touches_step(std::int64_t start_ns, std::int64_t end_ns) const;

    const TraceClock& clock_;
    TraceEvents& events_;
    std::vector<TraceTime> steps_;  // traced, in order; those that touch are one
    std::int64_t before_ns_;        // of the reading before
};

}  // namespace convoy
