#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace convoy {

/// The ranks as text: "rank 0", "ranks 0 to 3", "ranks 0, 2 to 4". ranks: in ascending order.
std::string ranks_text(const std::vector<std::int64_t>& ranks);

}  // namespace convoy
