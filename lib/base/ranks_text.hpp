#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace convoy {

/// Numbers as text: "0", "0 to 3", "0, 2 to 4". numbers: in ascending order.
std::string numbers_text(const std::vector<std::int64_t>& numbers);

/// The ranks as text: "rank 0", "ranks 0 to 3", "ranks 0, 2 to 4". ranks: in ascending order.
std::string ranks_text(const std::vector<std::int64_t>& ranks);

}  // namespace convoy
