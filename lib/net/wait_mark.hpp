#pragma once

#include <atomic>
#include <limits>
#include <optional>

#include "base/clock.hpp"

namespace convoy {

/// The time since which a thread waits for an exchange. Any thread may call all functions.
class WaitMark {
  public:
    void set(TimePoint since) { since_.store(since.time_since_epoch().count(), std::memory_order_relaxed); }
    void clear() { since_.store(nobody, std::memory_order_relaxed); }
    /// Absent if no thread waits.
    [[nodiscard]] std::optional<TimePoint> since() const {
        const auto ticks = since_.load(std::memory_order_relaxed);
        if (ticks == nobody) return std::nullopt;
        return TimePoint(Clock::duration(ticks));
    }

  private:
    static constexpr auto nobody = std::numeric_limits<Clock::rep>::min();
    std::atomic<Clock::rep> since_{nobody};
};

}  // namespace convoy
