#pragma once

#include <cstddef>
#include <vector>

#include "base/clock.hpp"
#include "measure/interval.hpp"

namespace convoy {

/// The times in which a thread stood still, in order and without overlap. A step of parameter servers has
/// thousands of them, and as many exchanges. Each knows the sum of those before it, so that `within` does not
/// visit all.
class IdleTimes {
  public:
    /// Makes room for this many, so that add does not allocate.
    void reserve(std::size_t count) { idle_.reserve(count); }
    /// idle: starts at the end of the one before, or later. The oldest are forgotten where there are more
    /// than 8192: a step of a server may have the messages of many steps of fast workers.
    void add(Interval idle);
    void clear() { idle_.clear(); }
    /// How long of this interval the thread stood still.
    [[nodiscard]] Clock::duration within(Interval interval) const;

  private:
    struct Idle {
        Interval time;
        Clock::duration before;  ///< the sum of those before
    };
    /// How long the thread stood still until this time.
    [[nodiscard]] Clock::duration until(TimePoint time) const;

    std::vector<Idle> idle_;
};

}  // namespace convoy
