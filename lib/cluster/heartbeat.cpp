#include "cluster/heartbeat.hpp"

#include <algorithm>
#include <cmath>

namespace convoy {

using namespace std::chrono_literals;

namespace {
constexpr Clock::duration shortest_interval = 20ms;
constexpr Clock::duration longest_interval = 1s;
}  // namespace

Heartbeat::Heartbeat(Clock::duration deadline, std::optional<Clock::duration> interval)
    : interval_(interval.value_or(std::clamp(deadline / 4, shortest_interval, longest_interval))),
      beats_in_deadline_(static_cast<int>(std::ceil(Seconds(deadline) / Seconds(interval_)))),
      is_brief_(interval.has_value()) {}

bool Heartbeat::beat(TimePoint now, std::optional<TimePoint> stood_still) {
    if (!next_ || now < *next_) return false;
    was_late_ = now - *next_ > interval_ / 2 || (stood_still && now - *stood_still < interval_ / 2);
    start(now);
    return true;
}

bool Heartbeat::loses(const Silence& silence) const {
    return silence.beats == beats_in_deadline_ || (is_brief_ && !was_late_ && silence.in_time == 1);
}

bool Heartbeat::has_lost(const Silence& silence) const {
    return silence.beats > beats_in_deadline_ || (is_brief_ && silence.in_time > 1);
}

void Heartbeat::count(Silence& silence) const {
    ++silence.beats;
    if (!was_late_) ++silence.in_time;
}

}  // namespace convoy
