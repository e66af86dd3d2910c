#include "base/printable.hpp"

#include <fmt/format.h>

#include <iterator>

#include "base/utf8.hpp"

namespace convoy {
namespace {

void append_visible(std::string& visible, char control) {
    switch (control) {
        case '\n': visible += "\\n"; break;
        case '\r': visible += "\\r"; break;
        case '\t': visible += "\\t"; break;
        default:
            fmt::format_to(std::back_inserter(visible), "\\x{:02x}", static_cast<unsigned char>(control));
    }
}

/// kept: control characters that stay.
std::string visible_text(std::string_view text, std::string_view kept) {
    std::string visible;
    visible.reserve(text.size());
    while (!text.empty()) {
        const auto size = utf8_character(text);
        const char first = text.front();
        const bool control = static_cast<unsigned char>(first) < 0x20U || first == '\x7f';
        const bool c1 = size == 2 && first == '\xC2' && static_cast<unsigned char>(text[1]) < 0xA0U;
        if (c1) {
            fmt::format_to(std::back_inserter(visible), "\\u{:04x}", static_cast<unsigned char>(text[1]));
        } else if (size == 0 || (control && kept.find(first) == std::string_view::npos)) {
            append_visible(visible, first);
        } else {
            visible += text.substr(0, size);
        }
        text.remove_prefix(size == 0 ? 1 : size);
    }
    return visible;
}

}  // namespace

std::string printable(std::string_view text) {
    return visible_text(text, {});
}

std::string printable_lines(std::string_view text) {
    return visible_text(text, "\n\t");
}

}  // namespace convoy
