#include "base/hex_text.hpp"

#include <fmt/format.h>

namespace convoy {

std::string hex_text(std::span<const std::byte> bytes) {
    std::string text;
    for (const auto byte : bytes) text += fmt::format("{:02x}", std::to_integer<int>(byte));
    return text;
}

}  // namespace convoy
