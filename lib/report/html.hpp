#pragma once

#include <string>
#include <string_view>

#include "report/table.hpp"

namespace convoy {

/// A text as it may stand between tags and within quoted attributes. Control characters, which HTML does not
/// allow, become spaces (line feeds and tabs stay).
std::string html_escaped(std::string_view text);

/// A heading and a table, which scrolls by itself where the page is narrower; shares have a bar behind them.
std::string html_table(const Table& table);

/// As html_table, on its side: a line per column. For tables of one row, or few.
std::string html_facts(const Table& table);

/// A whole page: nothing in it is loaded from elsewhere or runs, which it also tells the browser to enforce.
/// body is HTML, title is text.
std::string html_page(std::string_view title, std::string_view body);

}  // namespace convoy
