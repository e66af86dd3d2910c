#include "report/table_parts.hpp"

#include <catch2/catch.hpp>

#include "report/columns.hpp"

using namespace convoy;

namespace {

/// Columns c0, c1, ... of which c3 has no value.
Table wide_table(std::size_t columns) {
    Table table{.name = "wide", .title = "Wide", .columns = {}, .rows = {{}, {}}};
    for (std::size_t i = 0; i < columns; ++i) {
        table.columns.push_back(columns::count("c" + std::to_string(i)));
        for (auto& row : table.rows) row.push_back(i == 3 ? Cell() : Cell(static_cast<std::int64_t>(i)));
    }
    return table;
}

std::string names(const Table& table) {
    std::string text = table.title + ":";
    for (const auto& column : table.columns) text += " " + column.name;
    return text;
}

}  // namespace

TEST_CASE("a wide table is cut into parts that repeat its keys and lose no value") {
    const auto parts = table_parts(wide_table(9), 2, 4);
    REQUIRE(parts.size() == 2);
    CHECK(names(parts[0]) == "Wide (1 of 2): c0 c1 c2 c4 c5");
    CHECK(names(parts[1]) == "Wide (2 of 2): c0 c1 c6 c7 c8");
    CHECK(parts[1].rows[1] == std::vector<Cell>{std::int64_t{0}, std::int64_t{1}, std::int64_t{6},
                                                std::int64_t{7}, std::int64_t{8}});
}

TEST_CASE("a table that is narrow enough stays one, without its empty columns") {
    const auto parts = table_parts(wide_table(5), 1, 4);
    REQUIRE(parts.size() == 1);
    CHECK(names(parts[0]) == "Wide: c0 c1 c2 c4");
    CHECK(names(table_parts(wide_table(2), 5, 1).at(0)) == "Wide: c0 c1");
}
