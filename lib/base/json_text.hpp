#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace convoy {

/// The greatest depth of nested containers in a JSON text. It is limited since copying and printing a JSON
/// value recurse.
inline constexpr int max_json_depth = 32;

/// Whether a JSON text may have comments, as files that people write: `// to the end of the line` or
/// `/* within */`.
enum class JsonComments { refused, ignored };

/// Parses JSON from outside, more strictly than the library: duplicate keys of an object, and containers
/// nested deeper than max_json_depth, are errors. source: the name of the text in errors. Throws DataError
/// with one line.
nlohmann::json parse_json(std::string_view text, const std::string& source,
                          JsonComments comments = JsonComments::refused);

/// As parse_json, for a text that may be damaged without harm: null if it is no such JSON.
nlohmann::json json_or_null(std::string_view text);

/// A JSON value as text, for files, messages between processes and standard output. indent: the spaces of a
/// level; negative: all on one line. It does not throw for texts from outside: bytes that are not UTF-8
/// become U+FFFD, and DEL and C1 control characters become \u escapes.
std::string json_text(const nlohmann::json& value, int indent = -1);

/// Describes a JSON value in a few words for an error message: scalars by their (shortened) text, containers
/// by their kind.
std::string describe(const nlohmann::json& value);

}  // namespace convoy
