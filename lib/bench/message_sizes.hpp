#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

/// Parses the sizes of a benchmark, in bytes, from a list ("4K,1M") or a range ("1K..256M"). In a range, each
/// size is the size before times `factor`. K, M and G are powers of 1024. Throws UsageError if a size is not
/// a multiple of 4 (an element) between 4 B and 16 GB, if the range is empty, or if factor is below 2.
std::vector<std::int64_t> parse_sizes(std::string_view text, std::int64_t factor);

/// A size as text, as in "64K" or "1000".
std::string size_text(std::int64_t bytes);

}  // namespace convoy
