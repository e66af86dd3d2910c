#pragma once

#include <optional>

#include "base/clock.hpp"

namespace convoy {

/// The beats since the last message of a node.
struct Silence {
    int beats = 0;
    int in_time = 0;  ///< those of them that did not come late
};

/// Decides when the launcher pings its nodes, and when a silent node is lost. Part of the membership machine.
///
/// Silence is counted in beats and not in seconds. So no node counts as silent after the whole machine slept,
/// or after the user suspended all processes on the terminal.
class Heartbeat {
  public:
    /// deadline: the silence after which a node is lost. A beat is a quarter of it, and at most a second.
    /// heartbeat: if it is there, a beat is a quarter of it, and a node is lost that leaves a ping without an
    /// answer for six beats, so within two heartbeats of its last word.
    explicit Heartbeat(Clock::duration deadline, std::optional<Clock::duration> heartbeat = {});

    void start(TimePoint now) { next_ = now + interval_; }
    void stop() { next_.reset(); }
    /// Whether a beat is due. If so, the next beat is due one interval from now, also if this beat is late.
    /// stood_still: the last time at which the launcher went on after it had stood still, on the clock of
    /// now.
    bool beat(TimePoint now, std::optional<TimePoint> stood_still = {});
    /// Whether a node with this silence is lost by the last beat. It is true for one beat only. If that came
    /// late, answers may lie unread, so a node that is silent for less than the deadline is not lost by it.
    [[nodiscard]] bool loses(const Silence& silence) const;
    /// Whether a beat before this silence was counted lost the node.
    [[nodiscard]] bool has_lost(const Silence& silence) const;
    /// Adds the last beat to the silence of a node.
    void count(Silence& silence) const;
    /// The number of beats in the deadline.
    [[nodiscard]] int beats_in_deadline() const { return beats_in_deadline_; }
    [[nodiscard]] std::optional<TimePoint> next_due() const { return next_; }

  private:
    Clock::duration interval_;
    int beats_in_deadline_;
    bool is_brief_;  ///< a node is lost long before the deadline
    bool was_late_ = false;
    std::optional<TimePoint> next_;
};

}  // namespace convoy
