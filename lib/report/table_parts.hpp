#pragma once

#include <cstddef>
#include <vector>

#include "report/table.hpp"

namespace convoy {

/// Cuts a table that is too wide for a page into several. Each begins with the first `keys` columns, and has
/// at most `most` others; all have about as many. Other columns without any value are left out. If there is
/// more than one table, the titles count them: "Runs (1 of 3)". most: at least 1.
std::vector<Table> table_parts(const Table& table, std::size_t keys, std::size_t most);

}  // namespace convoy
