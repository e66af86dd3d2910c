#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "job/checkpoint.hpp"

namespace convoy {

/// Where the checkpoints of a run are kept that is to leave this folder: OUT.checkpoints, beside it.
std::filesystem::path checkpoints_beside(const std::filesystem::path& run_folder);

/// Whether a folder, which need not be there, holds a checkpoint.
bool has_checkpoints(const std::filesystem::path& folder);

/// The newest checkpoints of one run, each a file that is there whole or not at all (CHECKPOINT.md). One
/// process at a time holds the folder: the system lets go of its lock with the process.
class CheckpointFolder {
  public:
    /// Whether there may be checkpoints already.
    enum class Open : std::uint8_t { fresh, resume };
    using Warn = std::function<void(const std::string&)>;

    /// Makes the folder where it is not there. Keeps the newest `keep` checkpoints. Throws UsageError where
    /// another process holds it, or where it is to be fresh and holds checkpoints; OutputError where it
    /// cannot be made.
    CheckpointFolder(std::filesystem::path folder, std::string run_id, std::int64_t keep, Open open);
    CheckpointFolder(const CheckpointFolder&) = delete;
    CheckpointFolder& operator=(const CheckpointFolder&) = delete;
    CheckpointFolder(CheckpointFolder&&) = delete;
    CheckpointFolder& operator=(CheckpointFolder&&) = delete;
    /// Leaves no empty folder.
    ~CheckpointFolder();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] Open opened() const { return open_; }

    /// The newest checkpoint that is whole; warns of each newer one that is not. Throws DataError where one
    /// is of another run.
    [[nodiscard]] std::optional<RunCheckpoint> newest(const Warn& warn) const;

    /// Adds a checkpoint, and then removes those that are too many. When it returns the checkpoint is on
    /// disk. Throws OutputError; what was there before is there still then.
    void keep(const RunCheckpoint& checkpoint) const;

    /// Removes all of them: the run is complete.
    void clear() const;

  private:
    std::filesystem::path path_;
    std::string run_id_;
    std::int64_t keep_;
    Open open_;
    int lock_ = -1;
};

}  // namespace convoy
