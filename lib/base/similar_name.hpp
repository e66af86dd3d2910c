#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace convoy {

/// The candidate that a mistyped word probably means: the one with the least letters to put in, take out or
/// change, or neighbours to swap (Damerau's distance; capitals count as small letters, and `-` as `_`), if
/// that is at most one, or a third of the candidate. Absent if there is none. Of a long word, the first 64
/// bytes count.
std::optional<std::string_view> similar_name(std::string_view word,
                                             std::span<const std::string_view> candidates);

/// The text ` (did you mean "adam"?)`, or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace convoy
