#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "sweep/sweep_spec.hpp"

namespace convoy {

/// How a sweep is to be run.
struct SweepArguments {
    std::filesystem::path data_folder;  ///< has one folder for each dataset
    bool resume = false;                ///< the folder may exist, with runs that are done
    bool retry_failed = false;          ///< failed runs are run again
    bool accepts_changes = false;       ///< also if runs in the folder are of another build or other data
};

/// What became of a sweep.
struct SweepOutcome {
    bool finished = true;  ///< false: the user interrupted it
    int failure = 0;       ///< the exit code of the first run that failed, now or before; 0: none
};

/// Runs what is due of a sweep, one run after another, keeps each result in the folder at once, and says on
/// standard error how it goes. Throws as SweepFolder, UsageError if changes are not accepted, OutputError.
SweepOutcome run_sweep(const Sweep& sweep, const std::filesystem::path& path,
                       const SweepArguments& arguments);

/// convoy sweep SWEEP [--set KEY=VALUE]... [--out DIR] [--data DIR] [--resume] [--retry-failed] [--list] Runs
/// all experiments of a sweep, one after another. Returns the exit code: that of the first run that failed,
/// if one failed; throws Error.
int sweep_command(std::span<const std::string> arguments);

}  // namespace convoy
