#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.hpp"

namespace convoy {

/// Decides when nodes are ended at the end of a run. First they may leave by themselves, then they receive
/// SIGTERM, then SIGKILL. Each phase has a deadline. Part of the membership machine.
class Departure {
  public:
    enum class Push : std::uint8_t {
        none,
        terminate,  ///< send SIGTERM to the processes that are left
        kill,       ///< send them SIGKILL
        give_up     ///< do not wait for them any longer
    };

    /// patience: the time in which nodes may leave by themselves.
    void begin(TimePoint now, Clock::duration patience) { due_ = now + patience; }
    /// The next push, if the time of the push before is over; else `none`.
    Push push(TimePoint now);
    [[nodiscard]] std::optional<TimePoint> next_due() const { return due_; }
    /// Whether SIGKILL was already due.
    [[nodiscard]] bool has_killed() const { return last_ == Push::kill || last_ == Push::give_up; }

  private:
    std::optional<TimePoint> due_;
    Push last_ = Push::none;
};

}  // namespace convoy
