#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace convoy {

/// SHA-256 as 64 lower-case hexadecimal digits.
std::string sha256(std::string_view content);
std::string sha256(std::span<const std::byte> content);

/// SHA-256 of a file, read in pieces. Throws MissingFileError.
std::string sha256_of_file(const std::filesystem::path& file);

}  // namespace convoy
