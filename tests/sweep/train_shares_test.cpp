#include "sweep/train_shares.hpp"

#include <catch2/catch.hpp>
#include <sstream>

using namespace convoy;

TEST_CASE("the time of training is divided among network, slower nodes, data and the rest") {
    std::istringstream text(
        "nodes,repeat,state,train_s,exposed_us,exposed_skew_us,data_wait_us\n"
        "1,0,done,1,0,0,100000\n"
        "2,0,done,2,800000,200000,100000\n"
        "2,1,done,2,400000,200000,100000\n"
        "2,2,done,2,600000,200000,500000\n"
        "2,3,done,2,600000,,500000\n"
        "4,0,failed,,,,\n");
    const auto table = train_shares_table(read_sweep_rows(text, "runs.csv", train_share_columns));
    REQUIRE(table.rows.size() == 3);
    CHECK(table.columns[3].key() == "computation_and_rest_pct");
    CHECK(table.columns[3].bar);
    const auto percents = [&](std::size_t row) {
        std::vector<double> values;
        for (std::size_t column = 2; column < table.columns.size(); ++column)
            values.push_back(std::get<double>(table.rows[row][column]));
        return values;
    };
    CHECK(percents(0) == std::vector<double>{1.0, 90.0, 0.0, 0.0, 10.0});
    CHECK(table.rows[1][1] == Cell(std::int64_t{3}));  // without the run that lacks a figure
    CHECK(percents(1) == std::vector<double>{2.0, 55.0, 20.0, 10.0, 5.0});
    CHECK(table.rows[2][1] == Cell(std::int64_t{0}));
    CHECK(table.rows[2][3] == Cell());
}
