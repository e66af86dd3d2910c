#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

/// The sizes in bytes that a benchmark goes through, from a list ("4K,1M") or a range ("1K..256M": from the
/// one, times factor, up to the other). K, M and G are powers of 1024. Throws UsageError where a size is no
/// multiple of 4 (an element) between 4 B and 16 GB, where the range is empty, or where factor is below 2.
std::vector<std::int64_t> parse_sizes(std::string_view text, std::int64_t factor);

/// As in "64K" or "1000": the way back.
std::string size_text(std::int64_t bytes);

}  // namespace convoy
