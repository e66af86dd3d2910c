#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

/// The whole of a file. Throws MissingFileError where it cannot be opened, DataError where it is larger than
/// limit.
std::string read_text(const std::filesystem::path& file, std::size_t limit_bytes = std::size_t{1} << 30U);

/// As read_text, as bytes.
std::vector<std::byte> read_bytes(const std::filesystem::path& file,
                                  std::size_t limit_bytes = std::size_t{1} << 33U);

/// Writes a file so that a reader sees either all of it or nothing: temporary name, flush to disk, rename.
/// Throws OutputError with the system's reason (disk full, no permission) and leaves no temporary file.
void write_whole(const std::filesystem::path& file, std::string_view content);
void write_whole(const std::filesystem::path& file, std::span<const std::byte> content);

}  // namespace convoy
