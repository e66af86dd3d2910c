#pragma once

#include <optional>

#include "base/clock.hpp"

namespace convoy {

/// Decides when the launcher pings its nodes, and when a silent node is lost. Part of the membership machine.
///
/// Silence is counted in beats and not in seconds. So no node counts as silent after the whole machine slept,
/// or after the user suspended all processes on the terminal.
class Heartbeat {
  public:
    /// deadline: the silence after which a node is lost. A beat is a quarter of it, and at most a second.
    explicit Heartbeat(Clock::duration deadline);

    void start(TimePoint now) { next_ = now + interval_; }
    void stop() { next_.reset(); }
    /// Whether a beat is due. If so, the next beat is due one interval from now, also if this beat is late.
    bool beat(TimePoint now);
    /// Whether a node is lost now, after this number of silent beats. It is true for one number only, so a
    /// node is lost once.
    [[nodiscard]] bool is_lost_at(int silent_beats) const { return silent_beats == limit_ + 1; }
    /// The number of beats in the deadline.
    [[nodiscard]] int limit() const { return limit_; }
    [[nodiscard]] std::optional<TimePoint> next_due() const { return next_; }

  private:
    Clock::duration interval_;
    int limit_;  ///< beats in the deadline
    std::optional<TimePoint> next_;
};

}  // namespace convoy
