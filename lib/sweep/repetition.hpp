#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sweep/sweep_folder.hpp"
#include "sweep/sweep_spec.hpp"

namespace convoy {

/// A run of one of several sweeps that are trained together.
struct SweepTurn {
    std::size_t sweep = 0;  ///< its place among the sweeps
    std::size_t run = 0;    ///< its position in Sweep::runs
    bool operator==(const SweepTurn&) const = default;
};

/// The runs of sweeps in the order in which they are trained: the first repeat of each sweep, then the
/// second, and so on. The runs of each repeat, of all sweeps together, have an order of their own. It is
/// drawn from the sweeps' identities, so sweeps that are continued have the same one. A drawn order keeps a
/// change of the machine in the course of a repeat from looking like the effect of a setting, or of a sweep.
std::vector<SweepTurn> training_order(std::span<const Sweep* const> sweeps);

/// Gives the entry of a run by its position.
using EntryOfRun = std::function<SweepEntry(std::size_t)>;

/// One of several sweeps that are trained together, as `compare` sets them side by side.
struct SweepInTraining {
    const Sweep* sweep = nullptr;  ///< outlives it
    EntryOfRun entry_of;
};

/// Whether a run of the sweep `own` is to be trained at all. The first `repeats` of each setting are. A later
/// one is until the median of the setting's step times is known as precisely as the sweep asks (precision),
/// and until so many of its runs count as undisturbed as it asks (undisturbed_repeats). A setting with a run
/// that failed is not repeated further.
///
/// A run counts as undisturbed if it has a time of undisturbed steps, was undisturbed enough
/// (report/undisturbed_steps.hpp), and its quick look lies in the range of those that are alike
/// (alike_cores.hpp), over this setting of all sweeps. Where one sweep lacks such runs and can train more,
/// each sweep that asks for them repeats the setting: the clock of a core changes with time, and a run stands
/// beside others of its time. A sweep whose runs, once there are as many as it asks, all have too few steps
/// for a time of undisturbed ones repeats nothing for it. Only repeats before that of the run decide, so the
/// order of runs within a repeat does not.
bool is_needed(std::span<const SweepInTraining> together, std::size_t own, std::size_t run);

/// Whether a run belongs to a later repeat than the first `repeats`, and has not been trained. Tables leave
/// it out.
bool is_spare(const Sweep& sweep, std::size_t run, const SweepEntry& entry);

/// The rule by which settings are repeated further than `repeats`, as a sentence for a paper. Empty if none
/// is.
std::string repetition_rule(const Sweep& sweep);

/// For each setting whose median is not as precise as the sweep asks: a line that ends in a line feed. Empty
/// without a precision.
std::string precision_lines(const Sweep& sweep, std::span<const SweepEntry> entries);

/// The same for each setting of which fewer runs count as undisturbed than the sweep asks. Empty if it asks
/// for none.
std::string undisturbed_lines(const Sweep& sweep, std::span<const SweepEntry> entries);

/// For each setting whose repeats hold outliers (measure/outliers.hpp): a line that ends in a line feed.
std::string outlier_lines(const Sweep& sweep, std::span<const SweepEntry> entries);

/// For each run of a sweep, whether its median step time is an outlier among those of its setting.
std::vector<bool> outlying_runs(const Sweep& sweep, std::span<const SweepEntry> entries);

}  // namespace convoy
