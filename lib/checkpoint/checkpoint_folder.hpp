#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/folder_lock.hpp"
#include "checkpoint/checkpoint_file.hpp"

namespace convoy {

/// The folder of a run's checkpoints, beside its run folder OUT: OUT.checkpoints.
std::filesystem::path checkpoints_beside(const std::filesystem::path& run_folder);

/// Whether a folder has a checkpoint. The folder may not exist.
bool has_checkpoints(const std::filesystem::path& folder);

/// Removes the checkpoints in a folder, and the folder if nothing else is in it. No process may hold it.
void remove_checkpoints(const std::filesystem::path& folder);

/// The newest checkpoints of one run, each in a file that is complete or absent (CHECKPOINT.md). One process
/// at a time holds the folder; the system releases the lock with the process. On a file system without locks
/// nothing keeps a second process out; the run's own folder warns of that.
class CheckpointFolder {
  public:
    /// Whether the folder may have checkpoints already (resume) or must not have any (fresh).
    enum class Open : std::uint8_t { fresh, resume };
    using Warn = std::function<void(const std::string&)>;

    /// Makes the folder if it does not exist. keep: the number of newest checkpoints that are kept. Throws
    /// UsageError if another process holds the folder, or if it must be fresh and has checkpoints;
    /// OutputError with the system's reason if it cannot be made or opened.
    CheckpointFolder(std::filesystem::path folder, RunIdentity identity, std::int64_t keep, Open open);
    CheckpointFolder(const CheckpointFolder&) = delete;
    CheckpointFolder& operator=(const CheckpointFolder&) = delete;
    CheckpointFolder(CheckpointFolder&&) = delete;
    CheckpointFolder& operator=(CheckpointFolder&&) = delete;
    /// Removes the folder if it is empty.
    ~CheckpointFolder();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] Open opened() const { return open_; }
    [[nodiscard]] const RunIdentity& identity() const { return identity_; }

    /// The newest checkpoint that is intact. Calls `warn` for each newer one that is not, with a line that
    /// names the file and says whether an older one is there. Its run may have
    /// had other nodes or another strategy than this run; then cut_anew makes it fit. Throws DataError if a
    /// checkpoint is of another training.
    [[nodiscard]] std::optional<KeptCheckpoint> newest(const Warn& warn) const;

    /// Adds a checkpoint, and then removes the oldest ones that are too many. When it returns, the checkpoint
    /// is on disk. Throws OutputError; then the earlier checkpoints are still there.
    void keep(const RunCheckpoint& checkpoint) const;

    /// Removes all checkpoints, after the run is complete.
    void clear() const;

  private:
    std::filesystem::path path_;
    RunIdentity identity_;
    std::int64_t keep_;
    Open open_;
    FolderLock lock_;
};

}  // namespace convoy
