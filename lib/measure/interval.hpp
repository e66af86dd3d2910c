#pragma once

#include "base/clock.hpp"

namespace convoy {

/// A span of time.
struct Interval {
    TimePoint start, end;
};

}  // namespace convoy
