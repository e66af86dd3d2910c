#pragma once

#include <string>
#include <string_view>

#include "base/html_text.hpp"
#include "chart/drawing.hpp"
#include "report/table.hpp"

namespace convoy {

/// A paragraph for each line of a text. warns: they are marked.
std::string html_lines(std::string_view text, bool warns);

/// A heading and a table. The table scrolls by itself if the page is narrower. Shares have a bar behind them.
std::string html_table(const Table& table);

/// As html_table, but with one line for each column of the table. For tables of one row, or few.
std::string html_facts(const Table& table);

/// A chart with its title and its description above it. Figures stand side by side in an element of the class
/// "figures".
std::string html_figure(const Drawing& drawing);

/// A figure over the whole width of the page. broad and narrow: the same chart, drawn for wide_chart_width
/// and for chart_width; the browser shows one of them.
std::string html_broad_figure(const Drawing& broad, const Drawing& narrow);

/// A whole page. It loads nothing from elsewhere and runs no scripts, and tells the browser to enforce this.
/// body: HTML. title: text.
std::string html_page(std::string_view title, std::string_view body);

}  // namespace convoy
