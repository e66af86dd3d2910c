#include "report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "base/count_text.hpp"
#include "base/printable.hpp"
#include "report/sheet.hpp"

namespace convoy {

namespace {

constexpr std::size_t bar_width = 20, narrow_bar_width = 10;
constexpr std::size_t narrow = 120;           ///< terminals of less have narrow bars
constexpr std::size_t least_text_width = 12;  ///< of a column of texts that are cut
constexpr std::string_view between_columns = "  ";

/// Characters, not bytes: continuation bytes of UTF-8 take no room.
std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
    }));
}

/// One column, ready to be laid out.
struct TextColumn {
    bool left = false;
    int detail = 0;
    bool empty = true;               ///< has no figure in any row
    std::size_t width = 0;           ///< of its widest cell
    std::size_t least_width = 0;     ///< below which it cannot be cut: figures stay whole
    std::vector<std::string> cells;  ///< the header, then one per row
    std::vector<std::string> plain;  ///< the cells without bars; empty if they have none
};

std::string bar(double share_pct, std::size_t widest) {
    const auto filled = std::clamp(share_pct / 100.0, 0.0, 1.0) * static_cast<double>(widest);
    return fmt::format(" {:<{}}", std::string(static_cast<std::size_t>(std::lround(filled)), '#'), widest);
}

std::size_t widest_of(const std::vector<std::string>& cells) {
    std::size_t widest = 0;
    for (const auto& cell : cells) widest = std::max(widest, width_of(cell));
    return widest;
}

TextColumn text_column(const Sheet& sheet, std::size_t position, const TextStyle& style) {
    const auto& column = *sheet.columns[position];
    const auto widest_bar = style.width && *style.width < narrow ? narrow_bar_width : bar_width;
    TextColumn text{
        .left = column.left, .detail = column.detail, .cells = {sheet.header[position]}, .plain = {}};
    const bool has_bars = style.bars && column.bar;
    if (has_bars) text.plain = text.cells;
    text.least_width = width_of(sheet.header[position]);
    if (column.left) text.least_width = std::max(text.least_width, least_text_width);
    for (const auto& row : sheet.rows) {
        const auto& cell = row[position];
        auto& shown = text.cells.emplace_back(cell.text);
        text.empty = text.empty && cell.absent;
        if (has_bars) {
            text.plain.push_back(shown);
            shown += bar(cell.share_pct.value_or(0.0), widest_bar);
        }
        if (!column.left && !cell.note) text.least_width = std::max(text.least_width, width_of(shown));
    }
    text.width = widest_of(text.cells);
    return text;
}

std::size_t line_width(const std::vector<TextColumn>& columns) {
    return std::accumulate(columns.begin(), columns.end(), std::size_t{0},
                           [](std::size_t sum, const auto& column) {
                               return sum + column.width + (sum == 0 ? 0 : between_columns.size());
                           });
}

/// Leaves out columns that satisfy the predicate, the last first, while the table is too wide.
void leave_out(std::vector<TextColumn>& columns, std::size_t width, const auto& may_go) {
    while (line_width(columns) > width) {
        const auto last = std::find_if(columns.rbegin(), columns.rend(), may_go);
        if (last == columns.rend()) break;
        columns.erase(std::next(last).base());
    }
}

void leave_bars_out(std::vector<TextColumn>& columns) {
    for (auto& column : columns) {
        if (column.plain.empty()) continue;
        column.cells = std::move(column.plain);
        column.plain.clear();
        column.width = widest_of(column.cells);
        column.least_width = column.width;
    }
}

/// Leaves out columns without figures, then details with bars in their turn, and then narrows the widest
/// columns of texts. Returns how many columns were left out.
std::size_t fit(std::vector<TextColumn>& columns, std::size_t width) {
    const auto all = columns.size();
    leave_out(columns, width, [](const TextColumn& column) { return column.empty; });
    int most = bars_detail;
    for (const auto& column : columns) most = std::max(most, column.detail);
    for (int number = most; number > 0; --number) {
        if (number == bars_detail && line_width(columns) > width) leave_bars_out(columns);
        leave_out(columns, width, [number](const TextColumn& column) { return column.detail == number; });
    }
    while (line_width(columns) > width) {
        const auto room = [](const TextColumn& column) {
            return column.width > column.least_width ? column.width : 0;
        };
        const auto widest = std::ranges::max_element(columns, {}, room);
        if (widest == columns.end() || room(*widest) == 0) break;
        --widest->width;
    }
    return all - columns.size();
}

/// The title, with its note about columns that were left out on a line of its own if both are too long.
std::string heading(const std::string& title, std::size_t left_out, std::optional<std::size_t> width) {
    if (left_out == 0) return title + "\n";
    const auto note = fmt::format("(a wider terminal shows {})", count_text(left_out, "more column"));
    const bool on_one_line = !width || width_of(title) + 1 + note.size() <= *width;
    return title + (on_one_line ? " " : "\n") + note + "\n";
}

std::string laid_out(const std::string& text, const TextColumn& column) {
    if (width_of(text) <= column.width) {
        const std::string room(column.width - width_of(text), ' ');
        return column.left ? text + room : room + text;
    }
    std::string cut;
    std::size_t characters = 0;
    for (const char byte : text) {
        if ((static_cast<unsigned char>(byte) & 0xC0U) != 0x80U && ++characters == column.width) break;
        cut += byte;
    }
    return cut + "…";
}

}  // namespace

std::string to_text(const Table& table, const TextStyle& style) {
    const auto sheet = sheet_for_people(table);
    std::vector<TextColumn> columns;
    for (std::size_t i = 0; i < sheet.columns.size(); ++i) columns.push_back(text_column(sheet, i, style));
    const auto left_out = style.width ? fit(columns, *style.width) : std::size_t{0};

    auto text = heading(printable(table.title), left_out, style.width);
    for (std::size_t row = 0; row <= sheet.rows.size(); ++row) {
        std::string line;
        for (const auto& column : columns) {
            if (!line.empty()) line += between_columns;
            line += laid_out(column.cells[row], column);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

}  // namespace convoy
