#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "paper/archive.hpp"

namespace convoy {

/// A run that is done, as a paper needs it.
struct SettledRun {
    std::vector<std::string> settings;  ///< one for each field of the sweep
    std::int64_t repeat = 0;
    std::string run_id;
    std::string folder;  ///< NAME-RUNID, in the sweep's runs/ or the archive's
    std::string weights_sha256;
    nlohmann::json summary, environment;  ///< objects: the run's summary.json and environment.json
    nlohmann::json spec = {};             ///< its spec.json, an object; null in an archive
};

/// A sweep whose runs are settled: done in a folder, or published in an archive.
struct SettledSweep {
    std::string name, id;
    std::vector<std::string> fields;   ///< of the grid
    std::int64_t repeats = 1;          ///< of each setting, at least
    std::int64_t planned = 0;          ///< runs of the sweep, with those that failed or are yet to come
    std::string repetition_rule = {};  ///< as that of lib/sweep tells it; empty in an archive
    std::vector<SettledRun> runs;
};

/// Reads the runs that are done in a sweep's folder. Throws as kept_runs, and DataError or MissingFileError
/// if a file of a run cannot be read.
SettledSweep settled_sweep(const std::filesystem::path& sweep_folder);

/// The files of a sweep's archive: its sweep.json and runs.csv, and the descriptions of its runs that are
/// done. Throws as settled_sweep.
ArchiveFiles archive_files_of(const std::filesystem::path& sweep_folder, const SettledSweep& sweep);

/// The sweep that the files of an archive describe. source: its name in errors. Throws DataError if a file is
/// missing or damaged, or if the archive's version is another.
SettledSweep published_sweep(const ArchiveFiles& files, const std::string& source);

}  // namespace convoy
