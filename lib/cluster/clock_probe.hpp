#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/clock.hpp"

namespace convoy {

/// Estimates the offset between the clock of another process and the clock of this process. Each probe is a
/// question and an answer. The true offset is within half a round trip of the estimate, so the probe with the
/// shortest round trip counts (Cristian, "Probabilistic clock synchronization", Distributed Computing 3,
/// 1989).
class ClockProbe {
  public:
    struct Estimate {
        double offset_us = 0.0;  ///< this clock = the other clock + offset
        double round_trip_us = 0.0;
    };

    /// Notes the time of a question. Returns the number that its answer must carry.
    std::uint64_t ask(TimePoint now);
    /// Notes an answer. other_clock_us: the other clock, in microseconds, when the answer was sent. Returns
    /// false and does nothing if the number belongs to no question since the start or the last restart.
    bool answer(std::uint64_t number, double other_clock_us, TimePoint now);
    /// The estimate of the best probe since the start or the last restart. Absent before the first answer.
    [[nodiscard]] const std::optional<Estimate>& best() const { return best_; }
    /// Begins a new estimate.
    void restart();

  private:
    std::uint64_t last_number_ = 0;
    std::map<std::uint64_t, TimePoint> asked_;
    std::optional<Estimate> best_;
};

/// A time of this process's steady clock in microseconds, for messages and traces.
double clock_us(TimePoint time);

}  // namespace convoy
