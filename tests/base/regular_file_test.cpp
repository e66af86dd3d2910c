#include "base/regular_file.hpp"

#include <sys/stat.h>

#include <array>
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/sha256.hpp"
#include "base/temporary_folder.hpp"

using convoy::MissingFileError;
using convoy::open_regular_file;

TEST_CASE("a regular file is opened for reading") {
    const convoy::TemporaryFolder folder;
    convoy::write_whole(folder / "file", std::string_view("text"));
    const auto opened = open_regular_file(folder / "file");
    std::array<char, 8> content{};
    CHECK(::read(opened.get(), content.data(), content.size()) == 4);
}

TEST_CASE("all that is no regular file is refused at once, with its path") {
    const convoy::TemporaryFolder folder;
    const auto pipe = folder / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK_THROWS_WITH(open_regular_file(pipe), pipe.string() + ": is not a regular file");
    CHECK_THROWS_AS(open_regular_file(folder.path()), MissingFileError);
    CHECK_THROWS_AS(open_regular_file("/dev/null"), MissingFileError);
    CHECK_THROWS_WITH(open_regular_file(folder / "none"),
                      (folder / "none").string() + ": No such file or directory");
    CHECK_THROWS_AS(convoy::read_bytes(pipe), MissingFileError);
    CHECK_THROWS_AS(convoy::sha256_of_file(pipe), MissingFileError);
}
