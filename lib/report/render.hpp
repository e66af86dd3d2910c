#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "report/table.hpp"
#include "report/text_table.hpp"

namespace convoy {

enum class TableFormat : std::uint8_t { text, csv, markdown, json, html, latex };

/// The format with this name. Throws UsageError, which names --format, if there is none.
TableFormat table_format(std::string_view name);
/// The names, for messages: "text, csv, markdown, json, html or latex".
inline constexpr const char* table_formats = "text, csv, markdown, json, html or latex";

/// A header of column keys (NAME_UNIT), then the rows. Absent values are empty cells.
std::string to_csv(const Table& table);
/// A heading and a table in GitHub's Markdown.
std::string to_markdown(const Table& table);
/// An object {"table": name, "rows": [{key: value}]} as text. Absent values are null, with KEY_reason beside
/// them.
std::string to_json_text(const Table& table);

/// A table in any format. HTML is a whole page.
std::string render(const Table& table, TableFormat format, const TextStyle& style = {});

/// Several tables in any format: text, Markdown and LaTeX one below the other with a blank line between them,
/// JSON as a list, HTML in one page. A single table is as in render. Throws UsageError for several tables as
/// CSV, since a CSV file has one table.
std::string render_all(std::span<const Table> tables, TableFormat format, const TextStyle& style = {});

}  // namespace convoy
