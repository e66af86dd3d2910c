#include "cluster/launcher_clock.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace convoy {

using namespace std::chrono_literals;

namespace {

/// A launcher that comes so much too late to an event stood still meanwhile.
constexpr Clock::duration longest_delay = 1s;
/// The time in which the launcher learns of nodes that left it while it stood still.
constexpr Clock::duration time_of_surprise = 2s;

}  // namespace

void LauncherClock::advance(TimePoint steady, std::optional<TimePoint> due) {
    const bool stood_still = due && steady - *due > std::min(longest_delay, deadline_ / 2);
    if (stood_still) slept_ += steady - *due;
    steady_ = steady;
    now_ = steady - slept_;
    if (stood_still) standstill_ = Standstill{.end = now_, .length = steady - *due};
}

std::optional<TimePoint> LauncherClock::last_standstill() const {
    return standstill_ ? std::optional(standstill_->end) : std::nullopt;
}

bool LauncherClock::was_just() const {
    return standstill_ && now_ - standstill_->end < time_of_surprise;
}

bool LauncherClock::was_given_up() const {
    return was_just() && standstill_->length >= deadline_;
}

// Nodes that ask the launcher which step is their last hold up others while it stands still.
bool LauncherClock::held_up_nodes() const {
    return was_just() && standstill_->length > deadline_ / 2;
}

std::string LauncherClock::words_of_standstill() const {
    return fmt::format("the launcher stood still for {:.0f} s, as it was stopped or its machine slept",
                       Seconds(standstill_.value().length).count());
}

}  // namespace convoy
