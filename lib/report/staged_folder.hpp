#pragma once

#include <csignal>
#include <filesystem>
#include <string>

namespace convoy {

/// The folder that holds this one: "." for a plain name.
std::filesystem::path folder_above(const std::filesystem::path& folder);

/// Throws OutputError with the system's reason.
[[noreturn]] void cannot_write(const std::filesystem::path& what, const std::string& reason);

/// A folder under a temporary name beside its target, which goes away with all that is in it unless it is
/// published. While it lives, SIGINT, SIGTERM and SIGHUP wait, as far as they are this thread's. What a
/// process left behind that was killed in between is removed by the next that writes the same target: each
/// holds a lock on its folder, which the system lets go with the process.
class StagedFolder {
  public:
    /// The folder above target must be there. Throws OutputError where the folder cannot be made.
    explicit StagedFolder(std::filesystem::path target);
    StagedFolder(const StagedFolder&) = delete;
    StagedFolder& operator=(const StagedFolder&) = delete;
    StagedFolder(StagedFolder&&) = delete;
    StagedFolder& operator=(StagedFolder&&) = delete;
    ~StagedFolder();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    /// Gives the folder its name. An existing one is never replaced, not even an empty one: false.
    /// Throws OutputError.
    [[nodiscard]] bool publish();

    /// Gives the folder its name and removes the one that has it. Throws OutputError.
    void replace();

  private:
    std::filesystem::path target_;
    std::filesystem::path path_;
    int lock_ = -1;
    bool published_ = false;
    sigset_t signals_before_{};
};

}  // namespace convoy
