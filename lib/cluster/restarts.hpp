#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.hpp"

namespace convoy {

/// Decides how often a run that loses nodes begins again (policy restart of FailureSpec). A run that kept a
/// newer checkpoint since the last restart has got on, so only restarts in a row that go on from the same
/// step count.
class Restarts {
  public:
    /// most: the restarts in a row from one step. from_step: the step after which the run began; 0: at its
    /// beginning.
    Restarts(std::int64_t most, std::int64_t from_step) : most_(most), from_step_(from_step) {}

    /// A node was lost, and the run can go on after from_step. Returns the pause before it does so: none for
    /// the first restart from this step, then one second, and each time twice as long, up to a minute. Absent
    /// if the run has begun often enough from this step: it ends.
    std::optional<Clock::duration> next(std::int64_t from_step);
    /// The number of restarts from the last step, with the one that next() allowed last.
    [[nodiscard]] std::int64_t number() const { return number_; }

  private:
    std::int64_t most_;
    std::int64_t from_step_;
    std::int64_t number_ = 0;
};

}  // namespace convoy
