#pragma once

#include <cstdint>
#include <span>

#include "measure/records.hpp"

namespace convoy {

/// A part of the time of a trace, in nanoseconds. Whole nanoseconds, so that slices that touch on a node's
/// clock also touch in the trace, and do not overlap by rounding.
struct TraceTime {
    std::int64_t start_ns = 0, end_ns = 0;
};

/// The clock of one node: it maps times of the node to the launcher's clock. The offset changes linearly from
/// its value at the node's first slice to its value at its last. A later time of the node is never mapped to
/// an earlier time.
class TraceClock {
  public:
    /// slices: those of the node.
    TraceClock(std::span<const TraceSlice> slices, const ClockOffset& offset);

    /// Maps a time of the node, in microseconds, to nanoseconds of the launcher's clock.
    [[nodiscard]] std::int64_t launcher_ns(double node_us) const;
    /// The launcher's time of the first slice; the largest number if there is none.
    [[nodiscard]] std::int64_t first_ns() const;

  private:
    [[nodiscard]] std::int64_t launcher_of(std::int64_t node_ns) const;

    std::int64_t first_, last_;  ///< of the slices, in nanoseconds of the node
    double offset_ns_, drift_ns_;
};

}  // namespace convoy
