#pragma once

#include <optional>

#include "base/clock.hpp"

namespace convoy {

/// The beat in which the launcher asks its nodes whether they live. Part of the membership machine.
///
/// Silence is counted in beats and not on the clock: where the whole machine slept, or the user suspended all
/// processes on the terminal, no node was silent.
class Heartbeat {
  public:
    /// deadline: the silence after which a node is lost. A beat is a quarter of it, and at most a second.
    explicit Heartbeat(Clock::duration deadline);

    void start(TimePoint now) { next_ = now + interval_; }
    void stop() { next_.reset(); }
    /// Whether a beat is due. The next one is an interval from now, however late this one is.
    bool beat(TimePoint now);
    /// Whether a node that was silent for so many beats is lost with this one.
    [[nodiscard]] bool is_lost_at(int silent_beats) const { return silent_beats == limit_ + 1; }
    [[nodiscard]] std::optional<TimePoint> next_due() const { return next_; }

  private:
    Clock::duration interval_;
    int limit_;  ///< beats in the deadline
    std::optional<TimePoint> next_;
};

}  // namespace convoy
