#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "base/error.hpp"
#include "command_form.hpp"
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

/// What became of a sweep.
struct SweepOutcome {
    bool finished = true;                ///< false: the user interrupted it
    std::optional<Error> failures = {};  ///< of runs that failed, now or before, with the code of the first
};

/// Runs what is due of a sweep, one run after another, keeps each result in the folder at once, and says on
/// standard error how it goes. Throws as SweepFolder, UsageError if changes are not accepted, OutputError.
SweepOutcome run_sweep(const Sweep& sweep, const std::filesystem::path& path,
                       const SweepArguments& arguments);

/// Options, arguments and help of `convoy sweep`.
CommandForm sweep_form();

/// convoy sweep SWEEP [--set FIELD=VALUE]... [--out DIR] [--data DIR] [--resume] [--retry-failed] [--list]
/// Runs all experiments of a sweep, one after another. Returns the exit code: that of the first run that
/// failed, if one failed; throws Error.
int sweep_command(std::span<const std::string> arguments);

}  // namespace convoy
