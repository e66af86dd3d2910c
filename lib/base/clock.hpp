#pragma once

#include <chrono>

namespace convoy {

/// Every duration in a record is measured on this clock; it never jumps.
using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;

/// The types of durations in records and tables.
using Microseconds = std::chrono::duration<double, std::micro>;
using Seconds = std::chrono::duration<double>;

/// Time from start to now.
inline Microseconds since(TimePoint start) {
    return Clock::now() - start;
}

}  // namespace convoy
