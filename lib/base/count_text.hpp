#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>

namespace convoy {

/// A number of things: "1 node", "3 nodes". noun: one of them, whose plural takes an s.
std::string count_text(std::integral auto count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace convoy
