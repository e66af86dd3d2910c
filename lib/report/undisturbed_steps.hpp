#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "measure/records.hpp"

namespace convoy {

/// A look is slow if it took so many times as long as a quick one, or longer. Looks at an idle core
/// differ by a few percent; beside a busy hardware thread they take 1.6 to 2 times as long, and hardly any
/// look lies between.
inline constexpr double slow_look = 1.25;

/// A step is undisturbed only if the looks by it took less than so many times as long as a quick one. A core
/// that was slow for part of a look makes it a little longer, and the step by it too.
inline constexpr double undisturbed_look = 1.1;

/// The least number of undisturbed steps of which a time is told.
inline constexpr std::int64_t least_undisturbed_steps = 10;

/// A run stands beside others only if so many percent of its steps were undisturbed. Where fewer were, other
/// guests of the machine came and went so often that many steps between two quick looks were disturbed too.
inline constexpr double least_undisturbed_pct = 25.0;

/// Whether a run with this share of undisturbed steps stands beside others. Older versions do not tell it.
constexpr bool is_undisturbed_enough(std::optional<double> undisturbed_pct) {
    return undisturbed_pct.value_or(least_undisturbed_pct) >= least_undisturbed_pct;
}

/// The steps by which all looks at the nodes' cores were quick. A look is at the core of the thread that
/// trains (measure/core_looks.hpp).
struct UndisturbedSteps {
    /// The 10% quantile over these steps of the time of the slowest node: a core may be slow between two
    /// looks, so some of them are disturbed nevertheless. Absent if there are fewer than
    /// least_undisturbed_steps.
    std::optional<double> p10_us;
    double share_pct = 0.0;      ///< undisturbed steps, of those behind the warm-up
    double slow_pct = 0.0;       ///< steps before which the core was slow; of the node with the most
    double quick_look_us = 0.0;  ///< a quick look of each node; of the node whose is the longest
};

/// A quick look is the 2% quantile of a node's looks. A step counts as undisturbed if no node's look was slow
/// by it (undisturbed_look): neither the newest before the step nor that before the node's next row. The
/// warm-up is left out. steps: in any order. nodes: RunHeader::nodes. Looks of servers count, times of
/// servers do not. Absent if a step has no look, as those of older versions.
std::optional<UndisturbedSteps> undisturbed_steps(const std::vector<StepRecord>& steps, std::int64_t nodes);

}  // namespace convoy
