#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/journal_folder.hpp"
#include "report/run_record.hpp"

namespace convoy {

/// The results of a run from its journals, in bounded memory. header: the results without records. damage:
/// takes the lines of JournalFolder::each.
RunResults results_of(const RunResults& header, const JournalFolder& journals,
                      std::vector<std::string>* damage = nullptr);

/// What write_run_files wrote.
struct WrittenRun {
    RunResults results;
    std::vector<std::string> damage;  ///< lines for the user; they are in the environment's warnings too
};

/// Writes the files of a run folder from the journals of the run: all but its weights. Memory does not grow
/// with steps, epochs or nodes beyond the limits that RUN_FOLDER.md states. scratch: a folder for a temporary
/// file. Throws OutputError.
WrittenRun write_run_files(const std::filesystem::path& folder, const RunRecord& run,
                           const JournalFolder& journals, const std::filesystem::path& scratch);

}  // namespace convoy
