#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "report/partial_run.hpp"
#include "report/run_record.hpp"
#include "voice.hpp"

namespace convoy {

/// Where the results of a run go.
struct Destination {
    std::filesystem::path folder;  ///< OUT
    /// The folder where another name is taken if OUT is gone at the end; absent: it was given by --out.
    std::optional<std::filesystem::path> results_folder = {};
    bool replaces = false;          ///< OUT is of the same run, interrupted, and is replaced
    bool keeps_interrupted = true;  ///< else an interrupted run stays in OUT.partial
    bool trains_again = false;      ///< an OUT.partial without a checkpoint is removed
    bool sets_aside = false;        ///< an OUT.partial without a checkpoint gets another name
};

/// A run that has ended, and its run folder.
struct FinishedRun {
    RunResults results;
    std::filesystem::path folder;
};

/// The folder for the journals of an interrupted run in the folder of its checkpoints.
std::filesystem::path journals_beside(const std::filesystem::path& run_folder);

/// Writes the tables and the report, and makes OUT.partial the run folder. An interrupted run may stay there;
/// then the results have no records. After an error the results stay in OUT.partial, and the error names it.
FinishedRun place(PartialRun& partial, const RunRecord& run, const Destination& destination,
                  const Voice& voice);

/// Throws the exception again that is being handled. If OUT.partial has results, as an Error of its exit
/// code: its line says where they are and what completes them. Of std::filesystem's errors the line has the
/// path.
[[noreturn]] void rethrow_with_place(const PartialRun& partial, const std::filesystem::path& run_folder);

}  // namespace convoy
