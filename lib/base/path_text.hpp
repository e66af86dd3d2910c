#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace convoy {

/// A path as UTF-8, for JSON and for messages between processes. A path may have any bytes; a byte B that is
/// not UTF-8 (0x80 to 0xFF) becomes the character U+EF00 + B, of the range for private use U+EF80 to U+EFFF.
/// A character of this range in the path itself is written so byte by byte. All other paths stay as they are.
std::string text_of_path(const std::filesystem::path& path);

/// The path of such a text: path_of_text(text_of_path(path)) == path.
std::filesystem::path path_of_text(std::string_view text);

}  // namespace convoy
