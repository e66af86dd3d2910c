#include "base/open_to_read.hpp"

#include <sys/stat.h>

#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/sha256.hpp"
#include "base/temporary_folder.hpp"

using convoy::FileKinds;
using convoy::MissingFileError;
using convoy::open_to_read;

TEST_CASE("a regular file is opened for reading") {
    const convoy::TemporaryFolder folder;
    convoy::write_whole(folder / "file", std::string_view("text"));
    const auto accepted = GENERATE(FileKinds::regular, FileKinds::and_streams);
    const auto opened = open_to_read(folder / "file", accepted);
    std::array<char, 8> content{};
    CHECK(::read(opened.get(), content.data(), content.size()) == 4);
}

TEST_CASE("all that is no regular file is refused at once, with its path") {
    const convoy::TemporaryFolder folder;
    const auto pipe = folder / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK_THROWS_WITH(open_to_read(pipe, FileKinds::regular), pipe.string() + ": is not a regular file");
    CHECK_THROWS_AS(open_to_read("/dev/null", FileKinds::regular), MissingFileError);
    CHECK_THROWS_AS(convoy::read_bytes(pipe), MissingFileError);
    CHECK_THROWS_AS(convoy::sha256_of_file(pipe), MissingFileError);
}

TEST_CASE("a regular file is a stream that can be read at any place") {
    const convoy::TemporaryFolder folder;
    convoy::write_whole(folder / "file", std::string_view("first\nsecond"));
    const auto stream = convoy::open_stream(folder / "file");
    std::string line;
    stream->seekg(6);
    CHECK((std::getline(*stream, line) && line == "second"));
    stream->clear();
    stream->seekg(0);
    CHECK((std::getline(*stream, line) && line == "first"));
    CHECK_THROWS_AS(convoy::open_stream("/dev/null"), MissingFileError);
}

TEST_CASE("pipes and devices are opened at once where streams are accepted") {
    const convoy::TemporaryFolder folder;
    const auto pipe = folder / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(open_to_read(pipe, FileKinds::and_streams).get() >= 0);
    CHECK(open_to_read("/dev/null", FileKinds::and_streams).get() >= 0);
}

TEST_CASE("folders and files that are not there are refused, whatever is accepted") {
    const convoy::TemporaryFolder folder;
    const auto accepted = GENERATE(FileKinds::regular, FileKinds::and_streams);
    CHECK_THROWS_WITH(open_to_read(folder.path(), accepted),
                      folder.path().string() + ": is a folder, not a file");
    CHECK_THROWS_WITH(open_to_read(folder / "none", accepted),
                      (folder / "none").string() + ": No such file or directory");
    CHECK_THROWS_AS(open_to_read(folder / "none", accepted), MissingFileError);
}
