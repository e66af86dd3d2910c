#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/folder_lock.hpp"
#include "report/journal_folder.hpp"
#include "report/partial_header.hpp"

namespace convoy {

/// The folder that holds this one: "." for a plain name.
std::filesystem::path folder_above(const std::filesystem::path& folder);

/// Throws OutputError with the system's reason.
[[noreturn]] void cannot_write(const std::filesystem::path& what, const std::string& reason);

/// The folder of a run that is under way, or of one that was killed: OUT.partial beside the run's folder OUT.
std::filesystem::path partial_beside(const std::filesystem::path& run_folder);

/// OUT of OUT.partial; absent if the name has another form.
std::optional<std::filesystem::path> run_folder_of_partial(std::filesystem::path partial);

/// The OUT.partial that a user means by OUT or by OUT.partial. One that has a marker, perhaps a damaged one,
/// comes first, under any name. Throws MissingFileError if it cannot be known.
std::filesystem::path partial_meant(const std::filesystem::path& named);

/// A folder OUT.partial on disk. The process that holds it has a lock on it, which the system releases with
/// the process. On a file system without locks nothing keeps a second process out.
class PartialFolder {
  public:
    enum class Open : std::uint8_t {
        make,      ///< the folder is made if it is not there
        existing,  ///< it must be there
    };

    /// Takes the folder, perhaps over from a process that was killed. Throws UsageError if another process
    /// holds it, or if there is a folder of this name that convoy did not make; DataError if its marker is
    /// damaged; MissingFileError if it is not there and must be; OutputError with the system's reason if it
    /// cannot be made or opened.
    PartialFolder(std::filesystem::path path, Open open);
    PartialFolder(const PartialFolder&) = delete;
    PartialFolder& operator=(const PartialFolder&) = delete;
    PartialFolder(PartialFolder&&) = delete;
    PartialFolder& operator=(PartialFolder&&) = delete;
    ~PartialFolder() = default;  ///< releases the lock

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// A line for the user if the file system cannot lock the folder.
    [[nodiscard]] const std::optional<std::string>& lock_warning() const { return lock_.warning(); }
    [[nodiscard]] JournalFolder journals() const { return JournalFolder(path_ / partial_records); }
    /// Whether something is in it that was trained: steps, or weights. True if that cannot be known, since a
    /// journal is damaged or cannot be read: such a folder is not to be removed.
    [[nodiscard]] bool has_results() const noexcept;
    [[nodiscard]] bool has_weights() const;

    /// Renames the folder to `target`. Returns false if the target exists. Throws OutputError.
    [[nodiscard]] bool publish(const std::filesystem::path& target);
    /// Renames the folder to `target`, and removes the run folder that was there. Throws OutputError.
    void replace(const std::filesystem::path& target);
    /// Removes the files that convoy made.
    void clear() const;
    /// Removes the files that convoy made, and the folder if nothing else is in it.
    void remove() const;

  private:
    [[nodiscard]] FolderLock take(Open open) const;

    std::filesystem::path path_;
    FolderLock lock_;
};

}  // namespace convoy
