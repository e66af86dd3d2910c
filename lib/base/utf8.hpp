#pragma once

#include <cstddef>
#include <string_view>

namespace convoy {

/// The number of bytes of the character of UTF-8 with which the text begins; 0 if the text is empty or does
/// not begin with one. Overlong forms and surrogates are no characters.
constexpr std::size_t utf8_character(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    if (text.empty()) return 0;
    const auto first = byte(0);
    if (first < 0x80U) return 1;
    const std::size_t size = first >= 0xC2U && first <= 0xDFU   ? 2
                             : first >= 0xE0U && first <= 0xEFU ? 3
                             : first >= 0xF0U && first <= 0xF4U ? 4
                                                                : 0;
    if (size == 0 || text.size() < size) return 0;
    for (std::size_t i = 1; i < size; ++i)
        if ((byte(i) & 0xC0U) != 0x80U) return 0;
    const auto second = byte(1);
    const bool overlong = (first == 0xE0U && second < 0xA0U) || (first == 0xF0U && second < 0x90U);
    const bool surrogate = first == 0xEDU && second > 0x9FU;
    const bool beyond = first == 0xF4U && second > 0x8FU;
    return overlong || surrogate || beyond ? 0 : size;
}

/// Whether the whole text is UTF-8.
constexpr bool is_utf8(std::string_view text) {
    while (const auto size = utf8_character(text)) text.remove_prefix(size);
    return text.empty();
}

}  // namespace convoy
