#include "base/name_rule.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace convoy {
namespace {

bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

bool NameRule::allows(std::string_view name) const {
    return !name.empty() && name.size() <= longest && is_letter_or_digit(name.front()) &&
           std::ranges::all_of(name, [this](char c) {
               return is_letter_or_digit(c) || others.find(c) != std::string_view::npos;
           });
}

std::string NameRule::expected() const {
    std::string allowed;
    for (const char c : others) allowed += fmt::format(" '{}'", c);
    return fmt::format("a name of 1 to {} letters, digits or{}, the first a letter or digit", longest,
                       allowed);
}

}  // namespace convoy
