#include "cluster/heartbeat.hpp"

#include <algorithm>
#include <cmath>

namespace convoy {

using namespace std::chrono_literals;

namespace {
constexpr Clock::duration shortest_interval = 20ms;
constexpr Clock::duration longest_interval = 1s;
}  // namespace

Heartbeat::Heartbeat(Clock::duration deadline)
    : interval_(std::clamp(deadline / 4, shortest_interval, longest_interval)),
      limit_(static_cast<int>(std::ceil(Seconds(deadline) / Seconds(interval_)))) {}

bool Heartbeat::beat(TimePoint now) {
    if (!next_ || now < *next_) return false;
    start(now);
    return true;
}

}  // namespace convoy
