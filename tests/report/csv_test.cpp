#include "report/csv.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <limits>
#include <sstream>

#include "base/error.hpp"

using namespace convoy;
using Catch::Matchers::Contains;

namespace {

constexpr std::array<std::string_view, 2> header{"a", "b"};

/// All rows of a text, as they are read from a file.
struct Read {
    std::vector<std::string> header;
    std::vector<std::vector<std::string>> rows;
};

Read read(const std::string& text) {
    std::istringstream in(text);
    CsvRows rows(in, "file.csv");
    Read all{rows.header(), {}};
    while (rows.next()) {
        auto& row = all.rows.emplace_back();
        for (std::size_t i = 0; i < all.header.size(); ++i) row.push_back(rows.text(i));
    }
    return all;
}

std::string problem_of(const std::string& text) {
    try {
        read(text);
    } catch (const DataError& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("cells are quoted where RFC 4180 asks for it, and only there") {
    CsvWriter csv(header);
    csv.text("plain words").text("a,b").end_row();
    csv.text("say \"yes\"").text("two\nlines").end_row();
    csv.text("").text("\r").end_row();
    CHECK(csv.content() == "a,b\nplain words,\"a,b\"\n\"say \"\"yes\"\"\",\"two\nlines\"\n,\"\r\"\n");
}

TEST_CASE("numbers keep the digits that they need, and what is no number is an empty cell") {
    CsvWriter csv(header);
    csv.figure(static_cast<double>(1.0F / 3.0F)).fixed(2.0 / 3.0, 3).end_row();
    csv.figure(std::nullopt).figure(std::numeric_limits<double>::quiet_NaN()).end_row();
    csv.fixed(std::numeric_limits<double>::infinity(), 3).empty().end_row();
    csv.integer(std::int64_t{-3}).integer(std::numeric_limits<std::uint64_t>::max()).end_row();
    CHECK(csv.content() == "a,b\n0.333333343,0.667\n,\n,\n-3,18446744073709551615\n");
}

TEST_CASE("what was written is read back") {
    const std::array<std::string, 6> cells{"", "plain", "a,b", "\"", "\"\"\r\n,", " blanks "};
    CsvWriter csv(header);
    for (const auto& first : cells) {
        for (const auto& second : cells) csv.text(first).text(second).end_row();
    }
    const auto rows = read(csv.content()).rows;
    REQUIRE(rows.size() == cells.size() * cells.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        CHECK(rows[row].at(0) == cells.at(row / cells.size()));
        CHECK(rows[row].at(1) == cells.at(row % cells.size()));
    }
}

TEST_CASE("both line ends are read, and a last line without one") {
    for (const auto* text : {"a,b\r\n1,2\r\n3,4\r\n", "a,b\n1,2\n3,4\n", "a,b\n1,2\n3,4"}) {
        const auto rows = read(text).rows;
        REQUIRE(rows.size() == 2);
        CHECK(rows[1] == std::vector<std::string>{"3", "4"});
    }
}

TEST_CASE("a text that is not well formed is refused with its line") {
    CHECK(problem_of("a,b\n1,2\n") == "accepted");
    CHECK_THAT(problem_of(""), Contains("file.csv: is empty"));
    CHECK_THAT(problem_of("a,b\n1\n"), Contains("line 2: 1 cells, the header has 2"));
    CHECK_THAT(problem_of("a,b\n1,2\n1,2,3\n"), Contains("line 3: 3 cells"));
    CHECK_THAT(problem_of("a,b\n\"x\ny\",2\n1\n"), Contains("line 4: 1 cells"));
    CHECK_THAT(problem_of("a,b\n1,\"2\n"), Contains("ends within quotes"));
    CHECK_THAT(problem_of("a,b\n1,2\"\"\n"), Contains("line 2: a quote within a cell"));
    CHECK_THAT(problem_of("a,b\n\"1\"x,2\n"), Contains("line 2: expected a comma"));
    CHECK_THAT(problem_of("a,b\r1,2\n"), Contains("line 1: expected a comma or the end of the line"));
}

TEST_CASE("a cell of another type is refused with line, column and value") {
    std::istringstream text("a,b\n-1,x\n1.5,-2\n99999999999999999999,1e999\n,nan\n");
    CsvRows rows(text, "file.csv");
    REQUIRE(rows.next());
    CHECK_THROWS_WITH(rows.count(0), "file.csv: line 2: a: found \"-1\", expected an integer of at least 0");
    CHECK_THROWS_AS(rows.figure(1), DataError);
    REQUIRE(rows.next());
    CHECK_THROWS_AS(rows.count(0), DataError);
    CHECK(rows.figure(1) == -2.0);
    CHECK_THROWS_AS(rows.amount(1), DataError);
    REQUIRE(rows.next());
    CHECK_THROWS_AS(rows.count(0), DataError);
    CHECK_THROWS_AS(rows.figure(1), DataError);
    REQUIRE(rows.next());
    CHECK_THROWS_AS(rows.count(0), DataError);
    CHECK_THROWS_AS(rows.figure(1), DataError);
    CHECK_FALSE(rows.figure(0).has_value());
    CHECK_THROWS_AS(rows.amount(0), DataError);
    CHECK_FALSE(rows.next());
    CHECK_THROWS_WITH(rows.column("c"), "file.csv: there is no column c");
}
