#include "data/fetch.hpp"

#include <catch2/catch.hpp>
#include <cerrno>

#include "base/error.hpp"
#include "data/fetch_case.hpp"
#include "data/part_file.hpp"
#include "support/without_call.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using Requests = std::vector<std::string>;

TEST_CASE("a file is fetched whole and only once") {
    FetchCase a({{"/a", {served_content}}});
    std::vector<std::uint64_t> told;
    a.options.progress = [&](const FetchProgress& progress) {
        CHECK(progress.file == "a.gz");
        CHECK(progress.total == served_content.size());
        told.push_back(progress.bytes);
    };
    CHECK(a.fetch() == FetchOutcome::fetched);
    CHECK(a.clean());
    CHECK(std::is_sorted(told.begin(), told.end()));
    REQUIRE_FALSE(told.empty());
    CHECK(told.back() == served_content.size());
    CHECK(a.fetch() == FetchOutcome::already_there);
    CHECK(a.server.requests() == Requests{"/a"});
}

TEST_CASE("a damaged file is replaced by a fetched one") {
    FetchCase a({{"/a", {served_content}}});
    a.folder.write("set/a.gz", "damaged");
    CHECK(a.fetch() == FetchOutcome::fetched);
    CHECK(a.clean());
}

TEST_CASE("a broken transfer goes on where it broke off") {
    FetchCase a({{"/a", {served_content, true, 30'000}}});
    CHECK(a.fetch() == FetchOutcome::fetched);
    CHECK(a.clean());
    CHECK(a.server.requests() == Requests{"/a", "/a from 30000", "/a from 60000", "/a from 90000"});
    CHECK(a.pauses.empty());  // each attempt got further
}

TEST_CASE("another mirror goes on where one broke off") {
    FetchCase a({{"/b", {served_content, true, 40'000}}, {"/c", {served_content}}}, {"/a", "/b", "/c"});
    CHECK(a.fetch() == FetchOutcome::fetched);
    CHECK(a.clean());
    CHECK(a.server.requests() == Requests{"/a", "/b", "/c from 40000"});
}

TEST_CASE("a later run goes on with what an earlier one left") {
    for (const bool sized : {true, false}) {
        FetchCase a({{"/a", {served_content}}}, {"/a"}, sized);
        a.folder.write("set/a.gz.part", served_content.substr(0, 77'000));
        CHECK(a.fetch() == FetchOutcome::fetched);
        CHECK(a.clean());
        CHECK(a.server.requests() == Requests{"/a from 77000"});
    }
}

TEST_CASE("a whole part needs only its name") {
    FetchCase a(no_files);
    a.folder.write("set/a.gz.part", served_content);
    CHECK(a.fetch() == FetchOutcome::fetched);
    CHECK(a.clean());
    CHECK(a.server.requests().empty());
}

TEST_CASE("a server without ranges sends the file again") {
    FetchCase a({{"/a", {served_content, false, std::nullopt}}});
    a.folder.write("set/a.gz.part", served_content.substr(0, 77'000));
    CHECK(a.fetch() == FetchOutcome::fetched);
    CHECK(a.clean());
    CHECK(a.server.requests() == Requests{"/a from 77000", "/a"});
}

TEST_CASE("a part that cannot be completed is fetched from scratch") {
    for (const bool sized : {true, false}) {
        for (const auto& wrong : {some_bytes(500).substr(100), served_content + "more",
                                  std::string(served_content.size(), 'x')}) {
            FetchCase a({{"/a", {served_content}}}, {"/a"}, sized);
            a.folder.write("set/a.gz.part", wrong);
            CHECK(a.fetch() == FetchOutcome::fetched);
            CHECK(a.clean());
        }
    }
}

TEST_CASE("a file with the wrong hash or size is refused and nothing of it stays") {
    auto flipped = served_content;
    flipped[50'000] = static_cast<char>(flipped[50'000] ^ 1);
    for (const auto& wrong :
         {flipped, served_content + "z", served_content.substr(1), std::string("<html>"), std::string()}) {
        CAPTURE(wrong.size());
        FetchCase a({{"/a", {wrong}}});
        CHECK_THROWS_AS(a.fetch(), DataError);
        CHECK(a.nothing_left());
        CHECK_THROWS_WITH(a.fetch(), Contains(a.target().string()) && Contains("refused") &&
                                         Contains(a.server.address("/a")));
    }
    FetchCase a({{"/a", {flipped}}, {"/b", {served_content}}}, {"/a", "/b"});
    CHECK(a.fetch() == FetchOutcome::fetched);
    CHECK(a.clean());
}

TEST_CASE("a file that no mirror has is an error that names them") {
    FetchCase a(no_files, {"/a", "/b"});
    CHECK_THROWS_AS(a.fetch(), MissingFileError);
    CHECK(a.nothing_left());
    CHECK_THROWS_WITH(a.fetch(),
                      Contains(a.server.address("/b")) && Contains("404") && Contains("0 bytes are kept"));
}

TEST_CASE("a mirror that sends nothing more is given up, and what came is kept") {
    FetchCase a({{"/a", {served_content, false, 1000}}});
    a.file.mirrors.push_back(a.server.address("/none"));
    CHECK_THROWS_WITH(a.fetch(), Contains("bytes are kept: run the command again"));
    CHECK_FALSE(exists(a.target()));
    CHECK(read_text(a.part()) == served_content.substr(0, 1000));
}

TEST_CASE("two fetches of one file do not mix") {
    FetchCase a({{"/a", {served_content}}});
    std::filesystem::create_directories(a.target().parent_path());
    {
        const PartFile held(a.target());
        CHECK_THROWS_WITH(a.fetch(), Contains("another process fetches this file"));
        CHECK_THROWS_AS(a.fetch(), OutputError);
    }
    CHECK(a.fetch() == FetchOutcome::fetched);
}

TEST_CASE("a file is fetched to a file system without locks") {
    FetchCase a({{"/a", {served_content}}});
    CHECK(without_locks(ENOLCK, [&] { a.fetch(); }));
    CHECK(a.clean());
}

TEST_CASE("a folder that cannot be written is an output error") {
    FetchCase a({{"/a", {served_content}}});
    a.folder.write("set", "a file where the folder should be");
    CHECK_THROWS_AS(a.fetch(), OutputError);
}
