#include "report/table_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace convoy {

namespace {

bool has_value(const Table& table, std::size_t column) {
    return std::ranges::any_of(table.rows, [column](const auto& row) {
        return !std::holds_alternative<std::monostate>(row[column]);
    });
}

Table with_columns(const Table& table, const std::vector<std::size_t>& columns) {
    Table part{.name = table.name, .title = table.title, .columns = {}, .rows = {}};
    for (const auto column : columns) part.columns.push_back(table.columns[column]);
    for (const auto& cells : table.rows) {
        auto& row = part.rows.emplace_back();
        for (const auto column : columns) row.push_back(cells[column]);
    }
    return part;
}

}  // namespace

std::vector<Table> table_parts(const Table& table, std::size_t keys, std::size_t most) {
    std::vector<std::size_t> key_columns(std::min(keys, table.columns.size()));
    std::iota(key_columns.begin(), key_columns.end(), std::size_t{0});
    std::vector<std::size_t> others;
    for (auto column = key_columns.size(); column < table.columns.size(); ++column)
        if (has_value(table, column)) others.push_back(column);
    const auto count = std::max<std::size_t>((others.size() + most - 1) / most, 1);
    std::vector<Table> parts;
    for (std::size_t part = 0; part < count; ++part) {
        auto columns = key_columns;
        const auto place = [&](std::size_t number) {
            return others.begin() + static_cast<std::ptrdiff_t>(others.size() * number / count);
        };
        columns.insert(columns.end(), place(part), place(part + 1));
        parts.push_back(with_columns(table, columns));
        if (count > 1) parts.back().title += fmt::format(" ({} of {})", part + 1, count);
    }
    return parts;
}

}  // namespace convoy
