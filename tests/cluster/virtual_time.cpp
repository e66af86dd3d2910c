#include "cluster/virtual_time.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

using convoy::Seconds;
using convoy::TimePoint;

void VirtualTime::later(double delay_s, std::function<void()> happen) {
    queue_.push({.at_s = now_s_ + delay_s, .number = ++numbers_, .happen = std::move(happen)});
}

std::optional<double> VirtualTime::next_s() const {
    return queue_.empty() ? std::nullopt : std::optional(queue_.top().at_s);
}

void VirtualTime::take_next() {
    const auto next = queue_.top();
    queue_.pop();
    now_s_ = std::max(now_s_, next.at_s);
    next.happen();
}

void VirtualTime::pass_to(double time_s) {
    now_s_ = time_s;
}

TimePoint VirtualTime::clock() const {
    return TimePoint(std::chrono::duration_cast<convoy::Clock::duration>(Seconds(now_s_ + suspended_s_)));
}

double VirtualTime::when_clock_shows(TimePoint shown) const {
    return Seconds(shown.time_since_epoch()).count() - suspended_s_;
}
