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
      limit_(interval ? 1 : beats_in_deadline_) {}

bool Heartbeat::beat(TimePoint now) {
    if (!next_ || now < *next_) return false;
    was_late_ = now - *next_ > interval_ / 2;
    start(now);
    return true;
}

}  // namespace convoy
