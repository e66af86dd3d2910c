#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"

namespace convoy {

/// Opens a regular file for writing, and makes it if it does not exist. Does not follow a symbolic link, nor
/// wait for the reader of a named pipe. flags: more of open(2). Throws OutputError with the system's reason.
Descriptor open_to_write(const std::filesystem::path& file, int flags = 0);

/// A file that is written piece by piece, with a buffer of bounded size. All members throw OutputError with
/// the system's reason (disk full, no permission, too large for `ulimit -f`).
class OutputFile {
  public:
    enum class Open : std::uint8_t {
        fresh,   ///< the file is made; a file of this name is replaced
        append,  ///< pieces go behind the content; the file is made if it does not exist
    };

    OutputFile(std::filesystem::path file, Open open);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    OutputFile(OutputFile&&) = delete;
    OutputFile& operator=(OutputFile&&) = delete;
    /// Pieces that were not flushed are lost.
    ~OutputFile() = default;

    void write(std::string_view piece);
    /// Gives all pieces to the system. If it fails, the file has its length of the last flush again, so no
    /// piece is there in part.
    void flush();
    /// As flush; when it returns, the file is on disk.
    void sync();
    /// The bytes of the file, with those that are not flushed yet.
    [[nodiscard]] std::uint64_t size() const { return flushed_ + buffer_.size(); }

  private:
    [[noreturn]] void fail(int reason) const;

    std::filesystem::path file_;
    Descriptor opened_;
    std::uint64_t flushed_ = 0;  ///< bytes in the file
    std::string buffer_;
};

/// The name under which replace_file writes.
std::filesystem::path name_of_new(const std::filesystem::path& file);

/// Writes FILE.new to disk and gives it the name FILE, so that the file has its old content or its new
/// content at any moment, and its old one after an error. Unlike write_whole, what a killed process leaves
/// has a known name. Throws OutputError.
void replace_file(const std::filesystem::path& file, std::string_view content);

/// Gives FILE.new, whose content is on disk, the name FILE. Throws OutputError.
void publish_new(const std::filesystem::path& file);

/// Makes sure that the content of a folder (the names in it) is on disk. Throws OutputError.
void sync_folder(const std::filesystem::path& folder);

}  // namespace convoy
