#include "report/comparison.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace convoy {
namespace {

bool is_key(const Column& column) {
    constexpr std::array<std::string_view, 3> counted{"node", "epoch", "step"};
    return column.left || std::ranges::count(counted, column.name) > 0;
}

Cell ratio(const Cell& a, const Cell& b) {
    const auto above = number_in(a);
    const auto below = number_in(b);
    return above && below && *below != 0.0 ? Cell(*above / *below) : Cell();
}

std::vector<Cell> key_of(const Table& table, const std::vector<Cell>& row) {
    std::vector<Cell> key;
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (is_key(table.columns[i])) key.push_back(row[i]);
    }
    return key;
}

/// The columns of the comparison, keys first.
std::vector<Column> compared_columns(const Table& table) {
    std::vector<Column> columns;
    std::ranges::copy_if(table.columns, std::back_inserter(columns), is_key);
    for (const auto& column : table.columns) {
        if (is_key(column)) continue;
        for (const auto* side : {"_a", "_b"}) {
            columns.push_back(column);
            columns.back().name += side;
            columns.back().bar = false;
            columns.back().detail = 2 * column.detail + 1;  // rather than their ratio
        }
        columns.push_back({.name = column.name + "_ratio", .unit = "", .left = false, .shown = {"", 1.0, 3}});
        columns.back().scripts_only = column.scripts_only;
        columns.back().detail = 2 * column.detail;
    }
    return columns;
}

/// One row of the comparison; either side may be absent.
std::vector<Cell> compared_row(const Table& table, const std::vector<Cell>* a, const std::vector<Cell>* b) {
    auto row = key_of(table, a != nullptr ? *a : *b);
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (is_key(table.columns[i])) continue;
        const auto of_a = a != nullptr ? (*a)[i] : Cell();
        const auto of_b = b != nullptr ? (*b)[i] : Cell();
        row.insert(row.end(), {of_a, of_b, ratio(of_a, of_b)});
    }
    return row;
}

}  // namespace

Table compare(const Table& a, const Table& b) {
    const auto same = [](const Column& one, const Column& other) { return one.key() == other.key(); };
    if (!std::ranges::equal(a.columns, b.columns, same))
        throw InternalError("tables of different columns cannot be compared");
    Table table{
        .name = a.name, .title = a.title + ", A against B", .columns = compared_columns(a), .rows = {}};
    std::vector<bool> matched(b.rows.size(), false);
    for (const auto& row : a.rows) {
        const auto key = key_of(a, row);
        std::size_t at = 0;
        while (at < b.rows.size() && (matched[at] || key_of(b, b.rows[at]) != key)) ++at;
        const bool found = at < b.rows.size();
        if (found) matched[at] = true;
        table.rows.push_back(compared_row(a, &row, found ? &b.rows[at] : nullptr));
    }
    for (std::size_t i = 0; i < b.rows.size(); ++i) {
        if (!matched[i]) table.rows.push_back(compared_row(a, nullptr, &b.rows[i]));
    }
    return table;
}

}  // namespace convoy
