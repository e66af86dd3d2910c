#pragma once

#include <string>
#include <string_view>

namespace convoy {

/// Escapes a text for use between tags and in quoted attributes of HTML and SVG. Control characters, which
/// HTML does not allow, become visible as in printable_lines.
std::string html_escaped(std::string_view text);

}  // namespace convoy
