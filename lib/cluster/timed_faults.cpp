#include "cluster/timed_faults.hpp"

#include <chrono>

namespace convoy {

std::optional<TimePoint> TimedFaults::next_due() const {
    if (!began_ || left_.empty()) return std::nullopt;
    return *began_ + std::chrono::duration_cast<Clock::duration>(Seconds(left_.front().time_s));
}

std::optional<TimedFault> TimedFaults::take_due(TimePoint now) {
    const auto due = next_due();
    if (!due || now < *due) return std::nullopt;
    const auto fault = left_.front();
    left_.pop_front();
    return fault;
}

}  // namespace convoy
