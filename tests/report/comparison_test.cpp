#include "report/comparison.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "example_run.hpp"
#include "report/render.hpp"
#include "report/tables.hpp"

using namespace convoy;

namespace {

Table times(std::vector<std::vector<Cell>> rows) {
    Table table{"times", "Times", {}, std::move(rows)};
    table.columns = {{.name = "operator", .unit = "", .left = true, .shown = {}},
                     {.name = "total", .unit = "us", .left = false, .shown = {}}};
    return table;
}

}  // namespace

TEST_CASE("two tables side by side have ratios row by row") {
    const auto table = compare(times({{"Conv2D", 30.0}, {"Relu", 4.0}, {"Send", 1.0}}),
                               times({{"Relu", 0.0}, {"Conv2D", 20.0}, {"Pull", 2.0}}));
    CHECK(to_csv(table) ==
          "operator,total_a_us,total_b_us,total_ratio\n"
          "Conv2D,30,20,1.5\n"
          "Relu,4,0,\n"
          "Send,1,,\n"
          "Pull,,2,\n");
}

TEST_CASE("a run compared with itself has ratios of one") {
    const auto results = results_of(example_run());
    for (const auto& named : named_tables()) {
        const auto one = named.make(results);
        const auto table = compare(one, one);
        CHECK(table.rows.size() == one.rows.size());
        for (const auto& row : table.rows) {
            for (std::size_t i = 0; i < row.size(); ++i) {
                if (!table.columns[i].name.ends_with("_ratio")) continue;
                if (const auto* ratio = std::get_if<double>(&row[i])) CHECK(*ratio == 1.0);
            }
        }
    }
}

TEST_CASE("tables of different kinds are not compared") {
    const auto results = results_of(example_run());
    CHECK_THROWS_AS(compare(phases_table(results), epochs_table(results)), InternalError);
}
