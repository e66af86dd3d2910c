#pragma once

#include <deque>
#include <optional>
#include <span>

#include "base/clock.hpp"
#include "spec/fault_spec.hpp"

namespace convoy {

/// The random faults of a run that are still to come. It outlives the launches of the run, so a fault that
/// happened does not happen again after a restart.
class TimedFaults {
  public:
    /// faults: in the order of their times.
    explicit TimedFaults(std::span<const TimedFault> faults) : left_(faults.begin(), faults.end()) {}

    /// All nodes begin to train. The first call begins the time of the faults, later ones do nothing.
    void begin(TimePoint now) {
        if (!began_) began_ = now;
    }
    /// The time of the next fault. Absent: there is none, or the time has not begun.
    [[nodiscard]] std::optional<TimePoint> next_due() const;
    /// Moves a fault out whose time has come.
    std::optional<TimedFault> take_due(TimePoint now);

  private:
    std::deque<TimedFault> left_;
    std::optional<TimePoint> began_;
};

}  // namespace convoy
