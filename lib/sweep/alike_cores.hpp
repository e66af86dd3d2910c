#pragma once

#include <optional>
#include <span>
#include <vector>

namespace convoy {

/// Quick looks at cores are alike if the longest takes less than so many times as long as the quickest.
/// In forty runs beside a guest that kept the other hardware thread busy for 64% of the time, those within 5%
/// had undisturbed steps whose times had a standard deviation of 1.9%; within 25% it was 9%.
inline constexpr double alike_look = 1.05;

/// A range of quick looks at the cores of runs (UndisturbedSteps::quick_look_us). The cores of runs in the
/// same range were about as fast, so that the times of their undisturbed steps stand beside each other.
struct AlikeCores {
    double quickest_us = 0.0;

    [[nodiscard]] bool contains(double look_us) const {
        return quickest_us <= look_us && look_us < alike_look * quickest_us;
    }
    /// The time of a step as it would be on the quickest core of the range. The clock of a core differs by a
    /// few percent from run to run, and a step becomes longer in the same proportion as a look.
    [[nodiscard]] double on_quickest_us(double step_us, double look_us) const {
        return step_us * quickest_us / look_us;
    }
};

/// The range that has the most runs of each sample: of all ranges, the one whose smallest count of a sample
/// is the greatest, and of equal ones the quickest. So neither a few quick runs nor a few slow ones decide.
/// looks_us: of each sample the quick looks of its runs; samples without any do not count. Absent: no range
/// has a run of each sample.
std::optional<AlikeCores> alike_cores(std::span<const std::vector<double>> looks_us);

}  // namespace convoy
