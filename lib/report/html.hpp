#pragma once

#include <string>
#include <string_view>

#include "report/table.hpp"

namespace convoy {

/// Escapes a text for use between tags and in quoted attributes. Control characters, which HTML does not
/// allow, become spaces (line feeds and tabs stay).
std::string html_escaped(std::string_view text);

/// A paragraph for each line of a text. warns: they are marked.
std::string html_lines(std::string_view text, bool warns);

/// A heading and a table. The table scrolls by itself if the page is narrower. Shares have a bar behind them.
std::string html_table(const Table& table);

/// As html_table, but with one line for each column of the table. For tables of one row, or few.
std::string html_facts(const Table& table);

/// A whole page. It loads nothing from elsewhere and runs no scripts, and tells the browser to enforce this.
/// body: HTML. title: text.
std::string html_page(std::string_view title, std::string_view body);

}  // namespace convoy
