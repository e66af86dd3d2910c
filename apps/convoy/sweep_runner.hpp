#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "sweep/sweep_spec.hpp"
#include "voice.hpp"

namespace convoy {

/// How a sweep is to be run.
struct SweepArguments {
    std::filesystem::path data_folder;  ///< has one folder for each dataset
    bool resume = false;                ///< the folder may exist, with runs that are done
    bool retry_failed = false;          ///< failed runs are run again
    bool accepts_changes = false;       ///< also if runs in the folder are of another build or other data
    Voice voice = Voice();
};

/// A sweep and its folder.
struct SweepPlace {
    Sweep sweep;
    std::filesystem::path folder;
};

/// What became of sweeps that were trained together.
struct SweepOutcome {
    bool finished = true;              ///< false: the user interrupted them
    std::vector<Error> failures = {};  ///< one for each sweep with runs that failed, now or before
};

/// Runs what is due of sweeps, one run after another, keeps each result in the sweep's folder at once, and
/// says on standard error how it goes. The repeats of several sweeps take turns (training_order), so that a
/// slow change of the machine affects all of them. Throws as SweepFolder,
/// UsageError if changes are not accepted, OutputError.
SweepOutcome run_sweeps(std::span<const SweepPlace> places, const SweepArguments& arguments);

}  // namespace convoy
