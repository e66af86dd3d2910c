#pragma once

#include <filesystem>
#include <string>

#include "report/record_choice.hpp"
#include "report/run_record.hpp"

namespace convoy {

/// A folder's files are in RUN_FOLDER.md.

/// The path results/NAME-RUNID for number 1, and results/NAME-RUNID-NUMBER for larger numbers. Letters of the
/// name that are not allowed in file names become '-'.
std::filesystem::path run_folder_name(const std::filesystem::path& results, const std::string& name,
                                      const std::string& run_id, int number);

/// The first of these paths that does not exist, and has no OUT.partial beside it.
std::filesystem::path choose_run_folder(const std::filesystem::path& results, const std::string& name,
                                        const std::string& run_id);

/// Checks, before a run, that a folder does not exist, and makes the folders above it. Throws UsageError if
/// the folder exists, OutputError if the others cannot be made.
void require_new_folder(const std::filesystem::path& folder);

/// Reads the results of a run from its folder, in bounded memory. Throws MissingFileError if it is not a run
/// folder, DataError if a file of it is not in convoy's format.
RunResults read_run_folder(const std::filesystem::path& folder);

/// As read_run_folder, of chosen records only. Throws DataError, which says what there is, if no operator in
/// training is among them.
ChosenRun read_chosen_run(const std::filesystem::path& folder, const RecordChoice& choice);

}  // namespace convoy
