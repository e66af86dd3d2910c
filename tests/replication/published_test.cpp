#include "replication/published.hpp"

#include <catch2/catch.hpp>
#include <sstream>

#include "base/error.hpp"
#include "base/temporary_folder.hpp"
#include "replication/notes.hpp"

using namespace convoy;
using Catch::Matchers::Contains;

namespace {

std::vector<PublishedFigure> read(const std::string& text) {
    std::istringstream in(text);
    return read_published_csv(in, "p.csv");
}

constexpr auto header = "table,experiment,operator,batch_size,system,quantity,unit,value\n";

}  // namespace

TEST_CASE("published figures are read by the names of their columns") {
    const auto figures =
        read(std::string(header) + "5.5,m,Relu,96,tf,time,us,2.50\n5.1,m,Sum,,tf,time,us,\n");
    REQUIRE(figures.size() == 2);
    CHECK(figures[0].table == "5.5");
    CHECK(figures[0].row == "Relu");
    CHECK(figures[0].batch_size == 96);
    CHECK(figures[0].value == 2.5);
    CHECK_FALSE(figures[1].batch_size);
    CHECK_FALSE(figures[1].value);
    const auto text = read("section,system,quantity,value,as_printed\n2.4,,steps,n-1,n-1\n5,a,time,3,3 s\n");
    CHECK_FALSE(text[0].value);
    CHECK(text[1].value == 3.0);
    CHECK(text[1].table == "5");
    CHECK(text[1].row == "time");
    CHECK(read("table,item,value\n4.1,clock,2.2\n").empty());
}

TEST_CASE("broken published files are refused with their line") {
    CHECK_THROWS_AS(read(""), DataError);
    CHECK_THROWS_WITH(read(std::string(header) + "5.5,m,Relu,x,tf,time,us,1\n"),
                      Contains("p.csv: line 2: batch_size"));
    CHECK_THROWS_WITH(read(std::string(header) + "5.5,m,Relu,-96,tf,time,us,1\n"), Contains("batch_size"));
    CHECK_THROWS_WITH(read(std::string(header) + "5.5,m,Relu,96,tf,time,us,many\n"), Contains("value"));
    CHECK_THROWS_WITH(read(std::string(header) + "5.5,m,Relu,96,tf,time,us,nan\n"), Contains("value"));
    CHECK_THROWS_WITH(read(std::string(header) + "5.5,m\n"), Contains("2 cells"));
    CHECK_THROWS_AS(read(std::string(header) + "\"5.5\n"), DataError);
    std::string long_text = header;
    for (int i = 0; i <= 100'000; ++i) long_text += "5,m,R,1,t,q,u,1\n";
    CHECK_THROWS_WITH(read(long_text), Contains("more than 100000 rows"));
    const TemporaryFolder folder;
    CHECK_THROWS_AS(read_published(folder.path()), MissingFileError);
    CHECK_THROWS_AS(read_published(folder.path() / "none"), MissingFileError);
}

TEST_CASE("all published figures of Tzavaras are there") {
    const auto figures = read_published(std::string(PUBLISHED_FOLDER) + "/tzavaras");
    CHECK(figures.size() == 628);
}

TEST_CASE("a note is on a row, on a table or on one batch size") {
    std::istringstream in(
        "experiment,table,row,batch_size,sentence,run\n,5.1,Relu,96,at 96,r1\nm,5.1,,,all,\n");
    const auto notes = read_notes_csv(in, "notes.csv");
    CHECK(note_on(notes, "m", "5.1", "Relu", 96) == "at 96 (r1)");
    CHECK(note_on(notes, "m", "5.1", "Relu", 192) == "all");
    CHECK(note_on(notes, "other", "5.1", "Relu", 192).empty());
    std::istringstream empty("experiment,table,row,batch_size,sentence,run\n,5.1,,,,\n");
    CHECK_THROWS_WITH(read_notes_csv(empty, "notes.csv"), Contains("expected a sentence"));
}
