#pragma once

#include <filesystem>
#include <string>

#include "report/run_record.hpp"

namespace convoy {

/// A folder's files are in RUN_FOLDER.md.

/// The path results/NAME-RUNID for number 1, and results/NAME-RUNID-NUMBER for larger numbers. Letters of the
/// name that are not allowed in file names become '-'.
std::filesystem::path run_folder_name(const std::filesystem::path& results, const std::string& name,
                                      const std::string& run_id, int number);

/// The first of these paths that does not exist.
std::filesystem::path choose_run_folder(const std::filesystem::path& results, const std::string& name,
                                        const std::string& run_id);

/// Checks, before a run, that a folder can be made, and makes the folders above it. Throws UsageError if the
/// folder exists, OutputError if it cannot be made.
void require_new_folder(const std::filesystem::path& folder);

/// Writes all files of a run. The folder appears as a whole: it is written beside its place under a temporary
/// name, and then renamed. Throws UsageError if it exists, OutputError if it cannot be written (disk full, no
/// permission). After an error nothing is left.
void write_run_folder(const std::filesystem::path& folder, const RunRecord& run);

/// As write_run_folder, but replaces an existing folder. Readers see either the old or the new folder.
void replace_run_folder(const std::filesystem::path& folder, const RunRecord& run);

/// As write_run_folder, with the folder of choose_run_folder. If another run takes this folder first, it uses
/// the next number. Returns the folder.
std::filesystem::path write_new_run_folder(const std::filesystem::path& results, const RunRecord& run);

/// Reads the results of a run from its folder. Throws MissingFileError if it is not a run folder, DataError
/// if a file of it is not in convoy's format.
RunResults read_run_folder(const std::filesystem::path& folder);

}  // namespace convoy
