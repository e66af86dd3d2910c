#pragma once

#include <csignal>
#include <filesystem>
#include <string>

namespace convoy {

/// The folder that holds this one: "." for a plain name.
std::filesystem::path folder_above(const std::filesystem::path& folder);

/// Throws OutputError with the system's reason.
[[noreturn]] void cannot_write(const std::filesystem::path& what, const std::string& reason);

/// A folder under a temporary name beside its target. The destructor removes it with its content, unless it
/// was published. While the object lives, this thread blocks SIGINT, SIGTERM and SIGHUP. If a process is
/// killed before it publishes its folder, the next process that writes the same target removes the folder. To
/// know such a folder, each process holds a lock on its folder; the system releases the lock with the
/// process. A marker in the folder, which is taken out before the folder is published, proves that convoy
/// made it; a user's folder with such a name stays.
class StagedFolder {
  public:
    /// Makes the folder. The folder above `target` must exist. Throws OutputError if the folder cannot be
    /// made.
    explicit StagedFolder(std::filesystem::path target);
    StagedFolder(const StagedFolder&) = delete;
    StagedFolder& operator=(const StagedFolder&) = delete;
    StagedFolder(StagedFolder&&) = delete;
    StagedFolder& operator=(StagedFolder&&) = delete;
    ~StagedFolder();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    /// Renames the folder to its target. Returns false, and does not replace, if the target exists, even as
    /// an empty folder. Throws OutputError.
    [[nodiscard]] bool publish();

    /// Renames the folder to its target, and removes the folder that was there. Throws OutputError.
    void replace();

  private:
    void take_marker() const;

    std::filesystem::path target_;
    std::filesystem::path path_;
    int lock_ = -1;
    bool published_ = false;
    sigset_t signals_before_{};
};

}  // namespace convoy
