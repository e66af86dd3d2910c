#pragma once

#include <filesystem>

#include "report/journal_folder.hpp"
#include "report/run_record.hpp"

namespace convoy {

/// The results of a run from its journals, in bounded memory. header: the results without records.
RunResults results_of(const RunResults& header, const JournalFolder& journals);

/// Writes the files of a run folder from the journals of the run: all but its weights. Memory does not grow
/// with steps, epochs or nodes beyond the limits that RUN_FOLDER.md states. scratch: a folder for a temporary
/// file. Returns the results. Throws OutputError.
RunResults write_run_files(const std::filesystem::path& folder, const RunRecord& run,
                           const JournalFolder& journals, const std::filesystem::path& scratch);

}  // namespace convoy
