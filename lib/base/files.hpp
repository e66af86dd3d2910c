#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace convoy {

/// Reads a whole file, or a pipe or device to its end. Throws MissingFileError if it cannot be opened or if
/// nobody writes to the pipe for a minute, DataError if it is larger than limit_bytes (of a pipe or device at
/// most 64 MB).
std::string read_text(const std::filesystem::path& file, std::size_t limit_bytes = std::size_t{1} << 30U);

/// As read_text, of a regular file only: the call does not wait for the writer of a pipe.
std::string read_file_text(const std::filesystem::path& file,
                           std::size_t limit_bytes = std::size_t{1} << 30U);

/// As read_file_text, as bytes.
std::vector<std::byte> read_bytes(const std::filesystem::path& file,
                                  std::size_t limit_bytes = std::size_t{1} << 33U);

/// Writes a file so that readers see either the whole file or no file: it writes under a temporary name,
/// flushes to disk, and renames. The temporary name stands beside the file and has a random part. Neither
/// name is followed if it is a symbolic link. Throws OutputError with the system's reason (disk full, no
/// permission), and then leaves no temporary file. Signals that end the process wait until the file is whole.
void write_whole(const std::filesystem::path& file, std::string_view content);
void write_whole(const std::filesystem::path& file, std::span<const std::byte> content);

/// The paths of all that is directly in a folder, in any order. problem: why they could not all be found.
std::vector<std::filesystem::path> paths_in(const std::filesystem::path& folder, std::error_code& problem);

/// Whether something has this name, also a symbolic link that leads nowhere. Throws MissingFileError with the
/// system's reason if that cannot be known (no permission, a disk that fails).
bool is_present(const std::filesystem::path& path);

/// As is_present, for a name that is to be written: false if it cannot be known, since the error of the write
/// will say why.
bool is_taken(const std::filesystem::path& path);

/// Whether there is a regular file, or a link to one. Throws as is_present.
bool is_file(const std::filesystem::path& file);

/// The folder for temporary files ($TMPDIR, else /tmp). Throws OutputError, which names it, if it is no
/// folder.
std::filesystem::path temporary_folder();

/// The name of the file for which write_whole takes the temporary name `name`. Absent if write_whole gives no
/// such names. Both are file names without a folder.
std::optional<std::string_view> target_of_temporary(std::string_view name);

}  // namespace convoy
