#include "cluster/heartbeat.hpp"

#include <algorithm>
#include <cmath>

namespace convoy {

using namespace std::chrono_literals;

namespace {
constexpr Clock::duration shortest_interval = 20ms;
constexpr Clock::duration longest_interval = 1s;

/// The pings in a heartbeat of the spec, and those in a row that a node leaves without an answer when it is
/// lost. The next beat loses it, 7/4 heartbeats after its last word at most. So it has 1.5 heartbeats for an
/// answer: on a host of 5% of a core, the kernel lets a thread wait for nearly a second now and then.
constexpr int beats_of_heartbeat = 4;
constexpr int unanswered_of_lost = 6;
}  // namespace

Heartbeat::Heartbeat(Clock::duration deadline, std::optional<Clock::duration> heartbeat)
    : interval_(heartbeat ? *heartbeat / beats_of_heartbeat
                          : std::clamp(deadline / 4, shortest_interval, longest_interval)),
      beats_in_deadline_(static_cast<int>(std::ceil(Seconds(deadline) / Seconds(interval_)))),
      is_brief_(heartbeat.has_value()) {}

bool Heartbeat::beat(TimePoint now, std::optional<TimePoint> stood_still) {
    if (!next_ || now < *next_) return false;
    was_late_ = now - *next_ > interval_ / 2 || (stood_still && now - *stood_still < interval_ / 2);
    start(now);
    return true;
}

bool Heartbeat::loses(const Silence& silence) const {
    return silence.beats == beats_in_deadline_ ||
           (is_brief_ && !was_late_ && silence.in_time == unanswered_of_lost);
}

bool Heartbeat::has_lost(const Silence& silence) const {
    return silence.beats > beats_in_deadline_ || (is_brief_ && silence.in_time > unanswered_of_lost);
}

void Heartbeat::count(Silence& silence) const {
    ++silence.beats;
    if (!was_late_) ++silence.in_time;
}

}  // namespace convoy
