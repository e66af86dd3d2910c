#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/folder_lock.hpp"
#include "sweep/sweep_figures.hpp"
#include "sweep/sweep_spec.hpp"

namespace convoy {

/// damaged: files of the run are there and cannot be read.
enum class RunState : std::uint8_t { pending, done, failed, damaged };
/// The name of a state for tables: "pending", "done", "failed" or "damaged".
std::string_view run_state_name(RunState state);

/// The file of a sweep's folder that has the sweep.
inline constexpr std::string_view sweep_file = "sweep.json";
/// The file that has one row for each run.
inline constexpr std::string_view runs_file = "runs.csv";

/// The state of one run of a sweep.
struct SweepEntry {
    RunState state = RunState::pending;
    std::string
        error;     ///< of a failed run: the line of its error; of a damaged run: a line that names the file
    int code = 0;  ///< of a failed run: its exit code
    nlohmann::json summary;  ///< of a run that is done: its summary.json
};

/// A sweep on disk (SWEEP.md). The files of a run are complete or absent, and they show which runs are done.
/// So a sweep that was killed at any moment continues at the same place. One process at a time holds the
/// folder; the system releases the lock with the process. On a file system without locks nothing keeps a
/// second process out.
class SweepFolder {
  public:
    /// resume: whether the folder may exist already. Throws UsageError if the folder exists and must not, if
    /// it is of another sweep, or if another process holds it. Throws OutputError with the system's reason if
    /// it cannot be made or opened.
    SweepFolder(std::filesystem::path folder, const Sweep& sweep, bool resume);
    SweepFolder(const SweepFolder&) = delete;
    SweepFolder& operator=(const SweepFolder&) = delete;
    SweepFolder(SweepFolder&&) = delete;
    SweepFolder& operator=(SweepFolder&&) = delete;
    ~SweepFolder() = default;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// A line for the user if the file system cannot lock the folder.
    [[nodiscard]] const std::optional<std::string>& lock_warning() const { return lock_.warning(); }
    /// Throws MissingFileError if a file of the run is there, and the system has no permission or no
    /// descriptors to open it.
    [[nodiscard]] SweepEntry entry(const SweepRun& run) const;
    /// The path of a run's folder, which may not exist yet.
    [[nodiscard]] std::filesystem::path run_folder(const SweepRun& run) const;

    /// Renames the folder of a damaged run, so that the run can be kept again, and returns the new path.
    /// Absent if the run has no folder. Throws OutputError.
    [[nodiscard]] std::optional<std::filesystem::path> set_aside(const SweepRun& run) const;

    /// Removes the error that a run had before; its run folder is there now.
    void forget_failure(const SweepRun& run) const;
    /// Keeps the error of a run, in place of an earlier one. Throws OutputError.
    void keep_failure(const SweepRun& run, const Error& error) const;

    /// Writes runs.csv, report.md and report.html again, from the runs in the folder. Throws OutputError.
    void write_tables() const;

  private:
    std::filesystem::path path_;
    const Sweep& sweep_;
    FolderLock lock_;
};

/// The path of a run's folder in a sweep's folder. It may not exist yet.
std::filesystem::path run_folder_of(const std::filesystem::path& sweep_folder, const SweepRun& run);

/// The entries of a sweep's runs in a folder. If the folder does not exist, all runs are pending. Does not
/// throw for a damaged run.
std::vector<SweepEntry> entries_of(const Sweep& sweep, const std::filesystem::path& folder);

/// Throws UsageError if there is anything at a path where a new sweep is to be.
void require_no_sweep(const std::filesystem::path& folder);

/// The folders of the runs that are done in a sweep's folder, whatever their version, by name.
std::vector<std::filesystem::path> run_folders_in(const std::filesystem::path& sweep_folder);

/// The first of them; the sweep's folder itself if there is none.
std::filesystem::path any_run_folder(const std::filesystem::path& sweep_folder);

/// Whether a folder is a sweep's folder.
bool is_sweep_folder(const std::filesystem::path& folder);

/// The figures of a sweep, from the runs.csv in its folder. Throws DataError if runs.csv is damaged.
SweepFigures figures_in(const std::filesystem::path& folder);

}  // namespace convoy
