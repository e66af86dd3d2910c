#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>

#include "base/clock.hpp"

/// The time of a simulation, in seconds from 0, and the things that are to happen in it. Time passes only
/// where the simulation lets the next thing happen, or says so.
class VirtualTime {
  public:
    [[nodiscard]] double now_s() const { return now_s_; }
    /// Lets this happen so long from now. Things of the same time happen in the order of these calls.
    void later(double delay_s, std::function<void()> happen);
    /// When the next thing is to happen. Absent: nothing is.
    [[nodiscard]] std::optional<double> next_s() const;
    /// Lets the next thing happen, at its time. Something must be to happen.
    void take_next();
    /// Time passes to this moment, which is not before now, and nothing happens.
    void pass_to(double time_s);

    /// The clock of the simulated machine goes on by so much, and nothing else does: its computer was
    /// suspended.
    void suspend(double for_s) { suspended_s_ += for_s; }
    /// What the clock of the simulated machine shows now.
    [[nodiscard]] convoy::TimePoint clock() const;
    /// When that clock shows this time, if the computer is not suspended again.
    [[nodiscard]] double when_clock_shows(convoy::TimePoint shown) const;

  private:
    struct Due {
        double at_s;
        std::uint64_t number;
        std::function<void()> happen;
        bool operator<(const Due& other) const {
            return at_s != other.at_s ? at_s > other.at_s : number > other.number;
        }
    };

    std::priority_queue<Due> queue_;
    double now_s_ = 0.0, suspended_s_ = 0.0;
    std::uint64_t numbers_ = 0;
};
