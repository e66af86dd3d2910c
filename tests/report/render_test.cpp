#include "report/render.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

using namespace convoy;

namespace {

Table example() {
    Table table{"things", "Some things", {}, {}};
    table.columns = {{.name = "name", .unit = "", .left = true, .shown = {}},
                     {.name = "total_time", .unit = "us", .shown = {"ms", 1e3, 2}},
                     {.name = "share", .unit = "pct", .shown = {}, .bar = true},
                     {.name = "size", .unit = "bytes", .shown = {"MB", 1e6, 1}},
                     {.name = "why", .unit = "", .left = true, .shown = {}, .scripts_only = true}};
    table.rows = {{std::string("a|b"), 12345.678, 50.0, std::int64_t{2'500'000}, std::string("x,y")},
                  {std::string("µ"), Note{"in here", true}, Cell(), Note{"hidden", false}, Cell()},
                  {std::string("c"), std::nan(""), 100.0, Cell(), Cell()}};
    return table;
}

}  // namespace

TEST_CASE("text is aligned by characters, and drawn with bars where wanted") {
    CHECK(to_text(example()) ==
          "Some things\n"
          "name  total time (ms)  share (%)  size (MB)\n"
          "a|b             12.35       50.0        2.5\n"
          "µ             in here          -\n"
          "c                   -      100.0          -\n");
    CHECK(to_text(example(), {.bars = true, .width = {}}) ==
          "Some things\n"
          "name  total time (ms)                   share (%)  size (MB)\n"
          "a|b             12.35   50.0 ##########                  2.5\n"
          "µ             in here      -\n"
          "c                   -  100.0 ####################          -\n");
}

TEST_CASE("CSV has keys with units and figures as they are") {
    CHECK(to_csv(example()) ==
          "name,total_time_us,share_pct,size_bytes,why\n"
          "a|b,12345.678,50,2500000,\"x,y\"\n"
          "µ,,,,\n"
          "c,,100,,\n");
}

TEST_CASE("Markdown escapes what would end a cell") {
    CHECK(to_markdown(example()) ==
          "## Some things\n\n"
          "| name | total time (ms) | share (%) | size (MB) |\n"
          "| --- | ---: | ---: | ---: |\n"
          "| a\\|b | 12.35 | 50.0 | 2.5 |\n"
          "| µ | in here | - |  |\n"
          "| c | - | 100.0 | - |\n");
}

TEST_CASE("a control character in a cell is shown, and is data in CSV") {
    Table table{"things", "Some\x1b[31m", {}, {}};
    table.columns = {{.name = "name", .unit = "", .left = true, .shown = {}}};
    table.rows = {{std::string("a\n\x1b[31m\xff")}, {std::string("=1+1")}};
    CHECK(to_text(table) == "Some\\x1b[31m\nname\na\\n\\x1b[31m\\xff\n=1+1\n");
    CHECK_THAT(to_markdown(table), Catch::Contains("| a\\n\\x1b[31m\\xff |") && !Catch::Contains("\x1b"));
    CHECK(to_csv(table) == "name\n\"a\n\x1b[31m\xff\"\n=1+1\n");
}

TEST_CASE("JSON has null with a reason for what is absent") {
    const auto parsed = nlohmann::json::parse(to_json_text(example()));
    CHECK(parsed.at("table") == "things");
    CHECK(parsed.at("rows").at(0) == nlohmann::json{{"name", "a|b"},
                                                    {"total_time_us", 12345.678},
                                                    {"share_pct", 50.0},
                                                    {"size_bytes", 2500000},
                                                    {"why", "x,y"}});
    CHECK(parsed.at("rows").at(1).at("total_time_us").is_null());
    CHECK(parsed.at("rows").at(1).at("total_time_us_reason") == "in here");
    CHECK(parsed.at("rows").at(1).at("size_bytes_reason") == "hidden");
    CHECK(parsed.at("rows").at(2).at("total_time_us").is_null());
    CHECK(parsed.at("rows").at(2).at("total_time_us_reason") == "the value is not finite");
    CHECK(parsed.at("rows").at(2).at("size_bytes_reason") == "not measured in this run");
}

TEST_CASE("tables of several runs get a first column") {
    const std::vector<std::string> labels{"one", "two"};
    const std::vector<Table> tables{example(), example()};
    const auto all = joined(labels, tables);
    REQUIRE(all.rows.size() == 6);
    CHECK(all.columns[0].key() == "run");
    CHECK(all.rows[2][0] == Cell("one"));
    CHECK(all.rows[3][0] == Cell("two"));
    CHECK(all.rows[3][1] == Cell("a|b"));
}

TEST_CASE("several tables follow one another, but CSV holds one") {
    const std::vector<Table> tables{example(), example()};
    CHECK(render_all(tables, TableFormat::text) == to_text(example()) + "\n" + to_text(example()));
    CHECK(nlohmann::json::parse(render_all(tables, TableFormat::json)).size() == 2);
    CHECK_THAT(render_all(tables, TableFormat::html),
               Catch::Contains("<h1>Some things</h1>") && Catch::Contains("a|b"));
    CHECK_THROWS_AS(render_all(tables, TableFormat::csv), UsageError);
    CHECK(render_all(std::span(tables).first(1), TableFormat::csv) == to_csv(example()));
}

TEST_CASE("formats have names") {
    CHECK(table_format("markdown") == TableFormat::markdown);
    CHECK(table_format("html") == TableFormat::html);
    CHECK_THROWS_WITH(table_format("pdf"), Catch::EndsWith("json, html or latex"));
    CHECK_THROWS_WITH(table_format("markdwn"), Catch::EndsWith("html or latex (did you mean \"markdown\"?)"));
}
