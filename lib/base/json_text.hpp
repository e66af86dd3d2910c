#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace convoy {

/// Containers of a JSON text may stand in one another this deep: copying and printing a JSON value recurse.
inline constexpr int max_json_depth = 32;

/// Parses JSON from outside, more strictly than the library does by itself: a key that stands twice in an
/// object and containers nested deeper than max_json_depth are errors. source names the text in errors.
/// Throws DataError with one line.
nlohmann::json parse_json(std::string_view text, const std::string& source);

/// A JSON value in a few words for an error message: scalars as they are (shortened), containers by their
/// kind.
std::string describe(const nlohmann::json& value);

}  // namespace convoy
