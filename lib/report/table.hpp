#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace convoy {

/// The reason why a cell has no value, as in "in _FusedConv2D". If `shown` is true, people read it in the
/// cell; else they see an empty cell. In CSV the cell is empty. In JSON it is null, with this text as the
/// reason.
struct Note {
    std::string text;
    bool shown = false;
    bool operator==(const Note&) const = default;
};

/// std::monostate is an absent value.
using Cell = std::variant<std::monostate, std::string, std::int64_t, double, Note>;

/// The number in a cell. Absent: it has none.
inline std::optional<double> number_in(const Cell& cell) {
    if (const auto* real = std::get_if<double>(&cell)) return *real;
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
    return std::nullopt;
}

/// How soon bars are left out of text that is too wide, as Column::detail.
inline constexpr int bars_detail = 2;

/// The form of a column's numbers for people: divided by `divisor`, with a unit and `decimals` digits after
/// the point. Scripts get the numbers unchanged, under NAME_UNIT.
struct Shown {
    std::string unit;
    double divisor = 1.0;
    int decimals = 1;
};

/// A column of a table: its name and unit for scripts, and its form for people.
struct Column {
    std::string name;           ///< lower case, words joined by _
    std::string unit;           ///< as in column names ("us", "bytes", "pct"); empty if there is none
    bool left = false;          ///< text is aligned left, numbers are aligned right
    Shown shown;                ///< if its unit is empty, the column's unit is shown
    bool scripts_only = false;  ///< left out of text and Markdown
    bool bar = false;           ///< a share in per cent; text may draw it as a bar
    /// 0: always in text. If a terminal is too narrow, columns with the greatest number are left out first,
    /// and of the same number the last one. Bars are left out after the numbers above bars_detail.
    int detail = 0;
    [[nodiscard]] std::string key() const { return unit.empty() ? name : name + "_" + unit; }
};

/// A table as a value. Pure functions make it from records, and render turns it into text.
struct Table {
    std::string name;   ///< as in `convoy report --table NAME`
    std::string title;  ///< for people
    std::vector<Column> columns;
    std::vector<std::vector<Cell>> rows;  ///< each as long as columns
};

/// Joins the tables of several runs, one below the other, with a first column `run`. labels and tables: one
/// for each run, at least one. The tables must have the same columns.
Table joined(std::span<const std::string> labels, std::span<const Table> tables);

}  // namespace convoy
