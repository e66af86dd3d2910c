#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace convoy {

/// Bytes as hexadecimal digits, two for each byte, in small letters.
std::string hex_text(std::span<const std::byte> bytes);

}  // namespace convoy
