#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "report/table.hpp"
#include "report/text_table.hpp"

namespace convoy {

enum class TableFormat : std::uint8_t { text, csv, markdown, json, html };

/// By its name; absent where there is none.
std::optional<TableFormat> table_format(std::string_view name);
/// The names, for messages: "text, csv, markdown, json or html".
inline constexpr const char* table_formats = "text, csv, markdown, json or html";

/// A header of column keys (NAME_UNIT), then the rows; absent values are empty cells.
std::string to_csv(const Table& table);
/// A heading and a table as GitHub's Markdown has them.
std::string to_markdown(const Table& table);
/// An object {"table": name, "rows": [{key: value}]} as text; absent values are null with KEY_reason beside.
std::string to_json_text(const Table& table);

/// HTML is a whole page.
std::string render(const Table& table, TableFormat format, const TextStyle& style = {});

/// Several tables: text and Markdown one below the other with a blank line between, JSON as a list, HTML in
/// one page. A single table is as render has it. Throws UsageError for several tables as CSV, which holds
/// one.
std::string render_all(std::span<const Table> tables, TableFormat format, const TextStyle& style = {});

}  // namespace convoy
