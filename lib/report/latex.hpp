#pragma once

#include <string>
#include <string_view>

#include "report/table.hpp"

namespace convoy {

/// A text that LaTeX prints as it is: its special characters are escaped, control characters and bytes that
/// are not UTF-8 become visible as in printable(). Also safe at the beginning of a table's row.
std::string latex_escaped(std::string_view text);

/// A table for LaTeX with booktabs and siunitx (2 or 3): a `table` with caption and the label tab:NAME. It
/// has the columns for people. Columns of numbers are S columns, with the unit in their head. In columns of
/// texts, numbers stand in \num. A table that is wider than its column of the page is made smaller
/// (adjustbox).
std::string to_latex(const Table& table);

}  // namespace convoy
