#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "report/plot.hpp"
#include "report/run_record.hpp"
#include "sweep/sweep_spec.hpp"

namespace convoy {

enum class RunState : std::uint8_t { pending, done, failed };
/// "pending", "done" or "failed", as tables have it.
std::string_view run_state_name(RunState state);

/// The file of a sweep's folder that says which sweep it is.
inline constexpr std::string_view sweep_file = "sweep.json";

/// How far one run of a sweep is.
struct SweepEntry {
    RunState state = RunState::pending;
    std::string error;    ///< of a failed run: its line
    int code = 0;         ///< of a failed run: its exit code
    std::string summary;  ///< of a run that is done: its summary.json
};

/// A sweep on disk (SWEEP.md): which of its runs are done is what lies there, each complete or absent, so a
/// sweep that was killed at any moment goes on where it was. One process at a time holds it: the system lets
/// go of its lock with the process.
class SweepFolder {
  public:
    /// resume: whether the folder may be there already. Throws UsageError where it may not be and is, or
    /// where it is another sweep's; OutputError where it cannot be made.
    /// UsageError also where another process is at it.
    SweepFolder(std::filesystem::path folder, const Sweep& sweep, bool resume);
    SweepFolder(const SweepFolder&) = delete;
    SweepFolder& operator=(const SweepFolder&) = delete;
    SweepFolder(SweepFolder&&) = delete;
    SweepFolder& operator=(SweepFolder&&) = delete;
    ~SweepFolder();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] SweepEntry entry(const SweepRun& run) const;
    /// Where a run's folder is, or will be.
    [[nodiscard]] std::filesystem::path run_folder(const SweepRun& run) const;

    /// Keeps what a run left, whatever came of it before. Throws OutputError.
    void keep(const SweepRun& run, const RunRecord& record) const;
    void keep_failure(const SweepRun& run, const Error& error) const;

    /// Writes runs.csv, report.md and report.html anew from what is there. Throws OutputError.
    void write_tables() const;

  private:
    std::filesystem::path path_;
    const Sweep& sweep_;
    int lock_ = -1;
};

/// Where a run's folder is in a sweep's, or will be.
std::filesystem::path run_folder_of(const std::filesystem::path& sweep_folder, const SweepRun& run);

/// The entries of a sweep's runs in a folder that may not be there: all pending then.
std::vector<SweepEntry> entries_of(const Sweep& sweep, const std::filesystem::path& folder);

/// Whether a folder is one that a SweepFolder wrote.
bool is_sweep_folder(const std::filesystem::path& folder);

/// What there is to draw of a sweep, from the runs.csv in its folder. Throws DataError where that is damaged.
std::vector<Plot> sweep_plots(const std::filesystem::path& folder);

}  // namespace convoy
