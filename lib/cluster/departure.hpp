#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.hpp"

namespace convoy {

/// The way in which nodes leave at the end of a run: by themselves, then asked by SIGTERM, then by SIGKILL,
/// with a deadline for each. Part of the membership machine.
class Departure {
  public:
    enum class Push : std::uint8_t {
        none,
        terminate,  ///< end the processes that are left by SIGTERM
        kill,       ///< end them by SIGKILL
        give_up     ///< wait for them no longer
    };

    /// patience: the time in which nodes may leave by themselves.
    void begin(TimePoint now, Clock::duration patience) { due_ = now + patience; }
    /// The next push, where the time for the one before is over; none before.
    Push push(TimePoint now);
    [[nodiscard]] std::optional<TimePoint> next_due() const { return due_; }
    /// Whether SIGKILL was already due.
    [[nodiscard]] bool has_killed() const { return last_ == Push::kill || last_ == Push::give_up; }

  private:
    std::optional<TimePoint> due_;
    Push last_ = Push::none;
};

}  // namespace convoy
