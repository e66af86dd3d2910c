#pragma once

#include <string>
#include <string_view>

namespace convoy {

/// Text from outside (a path, a spec, a file, another process) for one line that people read: a terminal
/// obeys nothing in it. Control characters become \n, \r, \t or \xHH (C1 controls \u00HH), bytes that are not
/// UTF-8 become \xHH.
std::string printable(std::string_view text);

/// As printable, but line feeds and tabs stay.
std::string printable_lines(std::string_view text);

}  // namespace convoy
