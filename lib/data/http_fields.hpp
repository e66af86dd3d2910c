#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace convoy {

/// The value of the header field Content-Range of a part of a file (RFC 9110, 14.4).
struct ContentRange {
    std::uint64_t first = 0, last = 0;   ///< places of bytes, both included
    std::optional<std::uint64_t> total;  ///< of the whole file; absent: the server does not tell
};

/// Reads the text of Content-Range, as in "bytes 5-9/10" or "bytes 5-9/*". Absent if it is not one.
std::optional<ContentRange> parse_content_range(std::string_view text);

/// The entity tag of a header field ETag, with its quotes, if it is a strong one: such a tag is another one
/// after any change of the file (RFC 9110, 8.8.3). Empty if it is weak, longer than 256 bytes or not valid.
std::string_view strong_etag(std::string_view text);

}  // namespace convoy
