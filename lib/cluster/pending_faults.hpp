#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "cluster/timed_faults.hpp"
#include "spec/fault_spec.hpp"

namespace convoy {

/// The faults of a launch that have not happened: those of a step, which nodes do to themselves, and those of
/// a time, which the launcher does. A place is the rank that a node had at the beginning of the run.
class PendingFaults {
  public:
    /// timed: outlives it; null: there are none.
    PendingFaults(std::vector<FaultSpec> at_steps, TimedFaults* timed)
        : at_steps_(std::move(at_steps)), timed_(timed) {}

    /// The faults of a place at steps to come.
    [[nodiscard]] std::vector<FaultSpec> at_steps_of(std::int64_t place) const;
    /// Moves the fault out that a place suffers at a step. Absent: there is none.
    std::optional<FaultSpec> take(std::int64_t place, std::int64_t step);

    /// All nodes train: faults of a time may come.
    void note_training(TimePoint now);
    /// A node is lost, or has had a fault of a time, or the nodes change: the next fault of a time waits
    /// until all nodes train again. Else it would not be known whose fault a loss is.
    void note_disturbance() { all_train_ = false; }
    /// The time of the next fault of a time. Absent: none may come now.
    [[nodiscard]] std::optional<TimePoint> next_due() const;
    /// Moves a fault out whose time has come, if one may come now.
    std::optional<TimedFault> take_due(TimePoint now);

  private:
    std::vector<FaultSpec> at_steps_;
    TimedFaults* timed_;
    bool all_train_ = false;
};

}  // namespace convoy
