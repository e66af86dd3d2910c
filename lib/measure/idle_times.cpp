#include "measure/idle_times.hpp"

#include <algorithm>
#include <iterator>

namespace convoy {

void IdleTimes::add(Interval idle) {
    constexpr std::size_t most = 8192;
    if (idle_.size() >= most) idle_.erase(idle_.begin(), idle_.begin() + most / 2);
    const auto before = idle_.empty() ? Clock::duration::zero()
                                      : idle_.back().before + idle_.back().time.end - idle_.back().time.start;
    idle_.push_back({idle, before});
}

Clock::duration IdleTimes::until(TimePoint time) const {
    const auto next =
        std::ranges::upper_bound(idle_, time, {}, [](const Idle& idle) { return idle.time.start; });
    if (next == idle_.begin()) return next == idle_.end() ? Clock::duration::zero() : next->before;
    const auto& last = *std::prev(next);
    return last.before + std::min(time, last.time.end) - last.time.start;
}

Clock::duration IdleTimes::within(Interval interval) const {
    return interval.end <= interval.start ? Clock::duration::zero()
                                          : until(interval.end) - until(interval.start);
}

}  // namespace convoy
