#include "base/path_text.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace convoy {
namespace {

/// Whether the text begins with a character of U+EF80 to U+EFFF, which is EE BE 80 to EE BF BF.
bool begins_with_escape(std::string_view text) {
    return utf8_character(text) == 3 && text[0] == '\xEE' && (text[1] == '\xBE' || text[1] == '\xBF');
}

void append_escaped(std::string& text, char byte) {
    const auto code = static_cast<unsigned char>(byte);
    text += '\xEE';
    text += code < 0xC0U ? '\xBE' : '\xBF';
    text += static_cast<char>(0x80U | (code & 0x3FU));
}

char escaped_byte(std::string_view character) {
    const unsigned high = character[1] == '\xBE' ? 0x80U : 0xC0U;
    return static_cast<char>(high | (static_cast<unsigned char>(character[2]) & 0x3FU));
}

}  // namespace

std::string text_of_path(const std::filesystem::path& path) {
    std::string_view left = path.native();
    std::string text;
    while (!left.empty()) {
        const auto size = std::max<std::size_t>(utf8_character(left), 1);
        const bool plain = utf8_character(left) != 0 && !begins_with_escape(left);
        for (const char byte : left.substr(0, size)) {
            if (plain) {
                text += byte;
            } else {
                append_escaped(text, byte);
            }
        }
        left.remove_prefix(size);
    }
    return text;
}

std::filesystem::path path_of_text(std::string_view text) {
    std::string path;
    while (!text.empty()) {
        const bool escape = begins_with_escape(text);
        path += escape ? escaped_byte(text) : text.front();
        text.remove_prefix(escape ? 3 : 1);
    }
    return path;
}

}  // namespace convoy
