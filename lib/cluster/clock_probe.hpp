#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/clock.hpp"

namespace convoy {

/// Estimates how far another process's clock is from this one's, from the exchanges of a message each way:
/// the true offset is within half a round trip of the midpoint, so the exchange with the shortest round trip
/// counts (Cristian, "Probabilistic clock synchronization", Distributed Computing 3, 1989).
class ClockProbe {
  public:
    struct Estimate {
        double offset_us = 0.0;  ///< this clock = the other clock + offset
        double round_trip_us = 0.0;
    };

    /// Notes that a question left now; returns the number that its answer must carry.
    std::uint64_t ask(TimePoint now);
    /// An answer came now, sent when the other clock showed that many microseconds. False, and of no effect,
    /// where the number is not one asked since the start or the last restart.
    bool answer(std::uint64_t number, double other_clock_us, TimePoint now);
    /// The best exchange since the start or the last restart; absent while there was none.
    [[nodiscard]] const std::optional<Estimate>& best() const { return best_; }
    /// Begins a new estimate.
    void restart();

  private:
    std::uint64_t last_number_ = 0;
    std::map<std::uint64_t, TimePoint> asked_;
    std::optional<Estimate> best_;
};

/// A point of this process's steady clock as microseconds, as it goes over the wire and into traces.
double clock_us(TimePoint time);

}  // namespace convoy
