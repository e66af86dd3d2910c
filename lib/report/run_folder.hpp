#pragma once

#include <filesystem>
#include <string>

#include "report/run_record.hpp"

namespace convoy {

/// A folder's files are in RUN_FOLDER.md.

/// results/NAME-RUNID, for number 1; NAME-RUNID-2, -3, ... beyond. Letters of the name that do not belong in
/// a file name become '-'.
std::filesystem::path run_folder_name(const std::filesystem::path& results, const std::string& name,
                                      const std::string& run_id, int number);

/// The first of these that does not exist.
std::filesystem::path choose_run_folder(const std::filesystem::path& results, const std::string& name,
                                        const std::string& run_id);

/// To be called before a run: throws UsageError where the folder exists, OutputError where it could not be
/// made. Makes the folders above it.
void require_new_folder(const std::filesystem::path& folder);

/// Writes all files of a run. The folder appears whole: it is written beside its place under a temporary name
/// and then renamed. Throws UsageError where it exists, OutputError where it cannot be written (disk full, no
/// permission), and leaves nothing behind then.
void write_run_folder(const std::filesystem::path& folder, const RunRecord& run);

/// As write_run_folder, in the place of a folder that is there: readers see the one or the other.
void replace_run_folder(const std::filesystem::path& folder, const RunRecord& run);

/// As write_run_folder, into choose_run_folder's folder; takes the next one where another run was faster.
/// Returns it.
std::filesystem::path write_new_run_folder(const std::filesystem::path& results, const RunRecord& run);

/// A run's figures from its folder. Throws MissingFileError where it is no run folder, DataError where a file
/// of it is not what convoy writes.
RunResults read_run_folder(const std::filesystem::path& folder);

}  // namespace convoy
