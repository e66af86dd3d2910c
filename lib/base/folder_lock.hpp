#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/descriptor.hpp"

namespace convoy {

/// What an attempt to lock an open file or folder found.
enum class LockState : std::uint8_t {
    taken,
    held,         ///< by another process
    unsupported,  ///< the file system has no locks, or cannot lock this; errno has the reason
};

/// Locks an open file or folder (flock). The system releases the lock with the descriptor. Waits half a
/// second for another process, which may only ask whether it is locked (is_locked).
LockState take_lock(int opened);

/// Whether another process has a lock on an open file or folder. False if the file system has no locks.
bool is_locked(int opened);

/// What a symbolic link in place of a folder is.
enum class SymbolicLinks : std::uint8_t { followed, refused };

/// A folder that one process at a time holds, by a lock that the system releases with the process. On a file
/// system without locks nothing keeps a second process out; then warning() says so.
class FolderLock {
  public:
    /// Opens and locks the folder. make: is called before each attempt to open it, so that it is there; it
    /// may throw. holder: ends the error if another process holds the folder. Throws UsageError then, or if
    /// the path is no folder; OutputError with the system's reason if it cannot be opened.
    FolderLock(const std::filesystem::path& folder, SymbolicLinks links, const std::string& holder,
               const std::function<void()>& make);

    [[nodiscard]] int descriptor() const { return folder_.get(); }
    /// A line for the user if the folder cannot be locked.
    [[nodiscard]] const std::optional<std::string>& warning() const { return warning_; }

  private:
    [[nodiscard]] bool take(const std::filesystem::path& folder, SymbolicLinks links,
                            const std::string& holder);

    Descriptor folder_;
    std::optional<std::string> warning_;
};

}  // namespace convoy
