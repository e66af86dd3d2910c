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
    /// interval: the time between two beats. If it is there, a node is lost that leaves one ping without an
    /// answer for such a time, so within two beats of its last one.
    explicit Heartbeat(Clock::duration deadline, std::optional<Clock::duration> interval = {});

    void start(TimePoint now) { next_ = now + interval_; }
    void stop() { next_.reset(); }
    /// Whether a beat is due. If so, the next beat is due one interval from now, also if this beat is late.
    bool beat(TimePoint now);
    /// Whether the last beat came so late that answers may lie unread: it says nothing of silent nodes.
    [[nodiscard]] bool was_late() const { return was_late_; }
    /// Whether a node is lost now, after this number of silent beats. It is true for one number only, so a
    /// node is lost once.
    [[nodiscard]] bool is_lost_at(int silent_beats) const { return silent_beats == limit_ + 1; }
    /// The most silent beats of a node that is not lost.
    [[nodiscard]] int limit() const { return limit_; }
    /// The number of beats in the deadline.
    [[nodiscard]] int beats_in_deadline() const { return beats_in_deadline_; }
    [[nodiscard]] std::optional<TimePoint> next_due() const { return next_; }

  private:
    Clock::duration interval_;
    int beats_in_deadline_;
    int limit_;  ///< silent beats
    bool was_late_ = false;
    std::optional<TimePoint> next_;
};

}  // namespace convoy
