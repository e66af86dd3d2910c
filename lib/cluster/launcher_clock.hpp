#pragma once

#include <optional>
#include <string>

#include "base/clock.hpp"

namespace convoy {

/// The time of a membership. The time in which the launcher stood still, as it was stopped or its machine
/// slept, counts for no deadline. Part of the membership machine.
class LauncherClock {
  public:
    /// deadline: after which nodes give up a launcher that says nothing.
    explicit LauncherClock(Clock::duration deadline) : deadline_(deadline) {}

    void begin(TimePoint steady) { now_ = steady_ = steady; }
    /// An event comes. due: when the machine needed one at the latest; absent: at no time.
    void advance(TimePoint steady, std::optional<TimePoint> due);
    /// The steady clock's time of the last event.
    [[nodiscard]] TimePoint steady() const { return steady_; }
    /// That time without the times in which the launcher stood still.
    [[nodiscard]] TimePoint now() const { return now_; }
    /// The steady clock's time of such a time.
    [[nodiscard]] TimePoint steady_of(TimePoint now) const { return now + slept_; }

    /// The end of the last time in which the launcher stood still, as now() has it.
    [[nodiscard]] std::optional<TimePoint> last_standstill() const;
    /// Whether nodes on other machines may just have left, as they heard nothing from a launcher that stood
    /// still.
    [[nodiscard]] bool was_given_up() const;
    /// Whether nodes may just have waited for a launcher that stood still, so long that they may have lost
    /// each other.
    [[nodiscard]] bool held_up_nodes() const;
    /// The last time in which it stood still, in words for the user; there must be one.
    [[nodiscard]] std::string words_of_standstill() const;

  private:
    struct Standstill {
        TimePoint end;
        Clock::duration length;
    };
    [[nodiscard]] bool was_just() const;

    Clock::duration deadline_;
    TimePoint steady_, now_;
    Clock::duration slept_ = {};  ///< all times in which it stood still
    std::optional<Standstill> standstill_;
};

}  // namespace convoy
