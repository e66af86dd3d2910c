#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/journal_folder.hpp"
#include "report/run_record.hpp"
#include "report/steps_of_all.hpp"

namespace convoy {

/// The results of a run from its journals, in bounded memory. header: the results without records. all: the
/// rows that tables have. damage: takes the lines of JournalFolder::each.
RunResults results_of(const RunResults& header, const JournalFolder& journals, const StepsOfAll& all,
                      std::vector<std::string>* damage = nullptr);

/// What write_run_files wrote.
struct WrittenRun {
    RunResults results;
    /// Lines for the user on what tables lack. They are in the environment's warnings too.
    std::vector<std::string> damage;
};

/// Writes the files of a run folder from the journals of the run: all but its weights. Memory does not grow
/// with steps, epochs or nodes beyond the limits that RUN_FOLDER.md states. ranks: of the run, for
/// steps_of_all. scratch: a folder for a temporary file. Throws OutputError.
WrittenRun write_run_files(const std::filesystem::path& folder, const RunRecord& run,
                           const JournalFolder& journals, std::int64_t ranks,
                           const std::filesystem::path& scratch);

}  // namespace convoy
