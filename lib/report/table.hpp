#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace convoy {

/// Why a cell has no figure, as "in _FusedConv2D". People read it in place, where it is shown, or see an
/// empty cell; in CSV the cell is empty, in JSON null with this as the reason.
struct Note {
    std::string text;
    bool shown = false;
    bool operator==(const Note&) const = default;
};

/// std::monostate is an absent value.
using Cell = std::variant<std::monostate, std::string, std::int64_t, double, Note>;

/// How people see a column's figures: divided, with a unit and so many digits after the point. Scripts get
/// them as they are, under NAME_UNIT.
struct Shown {
    std::string unit;
    double divisor = 1.0;
    int decimals = 1;
};

struct Column {
    std::string name;           ///< lower case, words joined by _
    std::string unit;           ///< as in column names ("us", "bytes", "pct"); empty where there is none
    bool left = false;          ///< text is aligned left, figures right
    Shown shown;                ///< its unit empty: that of the column
    bool scripts_only = false;  ///< left out of text and Markdown
    bool bar = false;           ///< a share in per cent, of which text may draw a bar
    bool detail = false;        ///< left out of text where a terminal is too narrow
    [[nodiscard]] std::string key() const { return unit.empty() ? name : name + "_" + unit; }
};

/// A table as a value: made by pure functions from records, turned into text by render.
struct Table {
    std::string name;   ///< as in `convoy report --table NAME`
    std::string title;  ///< for people
    std::vector<Column> columns;
    std::vector<std::vector<Cell>> rows;  ///< each as long as columns
};

/// One table of several runs: theirs one below the other, with a first column `run`. labels and tables are
/// equally many, at least one; the tables have the same columns.
Table joined(std::span<const std::string> labels, std::span<const Table> tables);

}  // namespace convoy
