#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "report/table.hpp"

namespace convoy {

/// How a table is laid out for people.
struct TextStyle {
    bool bars = false;  ///< columns that allow it get a bar of # beside the figure
    /// Characters that a line may take, as on a terminal: columns of details are left out until the table
    /// fits, which its title then says, and at last texts are cut. Absent: as many as it takes.
    std::optional<std::size_t> width;
};

/// Aligned columns under a title.
std::string to_text(const Table& table, const TextStyle& style = {});

}  // namespace convoy
