#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

/// Reads a whole file. Throws MissingFileError if it cannot be opened, DataError if it is larger than
/// limit_bytes.
std::string read_text(const std::filesystem::path& file, std::size_t limit_bytes = std::size_t{1} << 30U);

/// As read_text, as bytes.
std::vector<std::byte> read_bytes(const std::filesystem::path& file,
                                  std::size_t limit_bytes = std::size_t{1} << 33U);

/// Writes a file so that readers see either the whole file or no file: it writes under a temporary name,
/// flushes to disk, and renames. Throws OutputError with the system's reason (disk full, no permission), and
/// then leaves no temporary file.
void write_whole(const std::filesystem::path& file, std::string_view content);
void write_whole(const std::filesystem::path& file, std::span<const std::byte> content);

}  // namespace convoy
