#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "report/run_record.hpp"

namespace convoy {

/// A run folder that was made of a partial run.
struct RecoveredRun {
    std::filesystem::path folder;
    RunResults results;
    std::vector<std::string> warnings = {};
};

/// Whether a folder is a partial run that was trained to its end, so that only its run folder is missing.
bool is_trained(const std::filesystem::path& partial);

/// Makes a run folder of the OUT.partial of a process that ended. Its status is "done" if all results had
/// arrived, else "interrupted". target: OUT. keep_journals: a folder that takes the journals of an
/// interrupted run that can be continued. replaces: the target is an earlier, interrupted part of the same
/// run; it is replaced unless it has more than `partial`. Throws MissingFileError if `partial` is no partial
/// run, UsageError if a process holds it or if the target exists and is not replaced, OutputError; then
/// `partial` stays.
RecoveredRun recover(const std::filesystem::path& partial, const std::filesystem::path& target,
                     const std::optional<std::filesystem::path>& keep_journals, bool replaces = false);

}  // namespace convoy
