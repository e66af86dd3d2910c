#include "report/text_table.hpp"

#include <catch2/catch.hpp>

using namespace convoy;

namespace {

Table detailed_table() {
    Table table{"things", "Some things", {}, {}};
    table.columns = {{.name = "operator", .unit = "", .left = true, .shown = {}},
                     {.name = "total", .unit = "us", .left = false, .shown = {"", 1.0, 1}},
                     {.name = "mean", .unit = "us", .left = false, .shown = {"", 1.0, 1}, .detail = true},
                     {.name = "share", .unit = "pct", .left = false, .shown = {}, .bar = true},
                     {.name = "skew", .unit = "us", .left = false, .shown = {"", 1.0, 1}, .detail = true}};
    table.rows = {{"Conv2DBackpropFilter", 1234.5, 1.0, 60.0, 2.0},
                  {"Conv2Dµµµµµµµµ", Note{"in _FusedConv2D", true}, 1.0, Cell(), 2.0}};
    return table;
}

}  // namespace

TEST_CASE("a table that fits a terminal has all its columns") {
    CHECK(to_text(detailed_table(), {.bars = true, .width = 200}) ==
          to_text(detailed_table(), {.bars = true, .width = {}}));
}

TEST_CASE("a narrow terminal sees narrow bars, then fewer details, none of the bars, and least of all") {
    auto table = detailed_table();
    table.columns[4].detail = bars_detail + 1;
    CHECK(to_text(table, {.bars = true, .width = 70}) ==
          "Some things (a wider terminal shows 1 more column)\n"
          "operator                   total (us)  mean (us)        share (%)\n"
          "Conv2DBackpropFilter           1234.5        1.0  60.0 ######\n"
          "Conv2Dµµµµµµµµ        in _FusedConv2D        1.0     -\n");
    CHECK(to_text(table, {.bars = true, .width = 60}) ==
          "Some things (a wider terminal shows 1 more column)\n"
          "operator                   total (us)  mean (us)  share (%)\n"
          "Conv2DBackpropFilter           1234.5        1.0       60.0\n"
          "Conv2Dµµµµµµµµ        in _FusedConv2D        1.0          -\n");
    CHECK(to_text(table, {.bars = true, .width = 56}) ==
          "Some things (a wider terminal shows 2 more columns)\n"
          "operator                   total (us)  share (%)\n"
          "Conv2DBackpropFilter           1234.5       60.0\n"
          "Conv2Dµµµµµµµµ        in _FusedConv2D          -\n");
}

TEST_CASE("columns with greater numbers are left out first, wherever they stand") {
    auto table = detailed_table();
    table.columns[2].detail = 2;  // mean
    CHECK_THAT(to_text(table, {.bars = false, .width = 65}),
               Catch::Contains("skew") && !Catch::Contains("mean"));
    table.columns[4].detail = 3;  // skew
    CHECK_THAT(to_text(table, {.bars = false, .width = 65}),
               Catch::Contains("mean") && !Catch::Contains("skew"));
}

TEST_CASE("a narrow terminal does without a column that has no figure") {
    auto table = detailed_table();
    for (auto& row : table.rows) row[3] = Cell();
    CHECK(to_text(table, {.bars = false, .width = 62}) ==
          "Some things (a wider terminal shows 1 more column)\n"
          "operator                   total (us)  mean (us)  skew (us)\n"
          "Conv2DBackpropFilter           1234.5        1.0        2.0\n"
          "Conv2Dµµµµµµµµ        in _FusedConv2D        1.0        2.0\n");
}

TEST_CASE("at last texts are cut, but never figures") {
    CHECK(to_text(detailed_table(), {.bars = false, .width = 35}) ==
          "Some things\n"
          "(a wider terminal shows 2 more columns)\n"
          "operator      total (us)  share (%)\n"
          "Conv2DBackp…      1234.5       60.0\n"
          "Conv2Dµµµµµ…  in _Fused…          -\n");
    // There is no less than this.
    CHECK(to_text(detailed_table(), {.bars = false, .width = 1}) ==
          to_text(detailed_table(), {.bars = false, .width = 35}));
}
