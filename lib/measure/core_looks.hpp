#pragma once

#include <optional>

#include "base/clock.hpp"

namespace convoy {

/// Looks now and then how fast the core of the calling thread is. A look is the time of one fixed computation
/// that leaves no part of the core unused. It takes longer while something else uses the same core:
/// another process, or the other hardware thread. In a virtual machine that thread may belong to another
/// guest, and no counter of the system tells so.
class CoreLooks {
  public:
    /// At most one look in so long: about 0.3% of the time.
    static constexpr Microseconds usual_spacing{2000.0};

    explicit CoreLooks(Microseconds spacing = usual_spacing) : spacing_(spacing) {}

    /// The time of the newest look; looks again if that is older than the spacing.
    Microseconds newest();

  private:
    Microseconds spacing_;
    std::optional<TimePoint> looked_at_;
    Microseconds took_{0.0};
};

}  // namespace convoy
