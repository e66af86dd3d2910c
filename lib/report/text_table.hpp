#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "report/table.hpp"

namespace convoy {

/// The layout of a table for people.
struct TextStyle {
    bool bars = false;  ///< columns that allow it have a bar of # beside the number
    /// The largest number of characters in a line. Columns are left out until the table fits
    /// (Column::detail), and the title says so; if this is not enough, texts are cut. Absent: no limit.
    std::optional<std::size_t> width;
};

/// Aligned columns under a title.
std::string to_text(const Table& table, const TextStyle& style = {});

}  // namespace convoy
