#include "cluster/join_token.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <set>

#include "base/error.hpp"
#include "base/temporary_folder.hpp"

using Catch::Matchers::Contains;
using convoy::read_token_file;
using convoy::TemporaryFolder;

TEST_CASE("a token is read from a file that only its owner reads") {
    const TemporaryFolder folder;
    const auto file = folder / "token";
    std::ofstream(file) << "swordfish-swordfish\r\n";
    for (const mode_t mode : {0600, 0400, 0700}) {
        ::chmod(file.c_str(), mode);
        CHECK(read_token_file(file) == "swordfish-swordfish");
    }
    for (const mode_t mode : {0640, 0604, 0620, 0602, 0610, 0601}) {
        ::chmod(file.c_str(), mode);
        CHECK_THROWS_WITH(read_token_file(file), Contains("chmod 600 " + file.string()));
        CHECK_THROWS_AS(read_token_file(file), convoy::UsageError);
    }
}

TEST_CASE("a file without a token is an error") {
    const TemporaryFolder folder;
    const auto file = folder / "token";
    CHECK_THROWS_AS(read_token_file(file), convoy::MissingFileError);
    std::ofstream(file) << "\n";
    ::chmod(file.c_str(), 0600);
    CHECK_THROWS_WITH(read_token_file(file), file.string() + ": holds no token");
    std::ofstream(file) << std::string(15, 'x');
    CHECK_THROWS_WITH(read_token_file(file), Contains("a token of 15 characters can be guessed"));
    std::ofstream(file) << std::string(16, 'x');
    CHECK_NOTHROW(read_token_file(file));
    std::ofstream(file) << std::string(5000, 'x');
    CHECK_THROWS_WITH(read_token_file(file), file.string() + ": is too long for a token");
}

TEST_CASE("tokens do not repeat") {
    std::set<std::string> tokens;
    for (int i = 0; i < 100; ++i) tokens.insert(convoy::random_token());
    CHECK(tokens.size() == 100);
    CHECK(tokens.begin()->size() == 32);
}

TEST_CASE("a token file that is made holds a token of its own, and goes with its owner") {
    std::filesystem::path path;
    {
        const convoy::TokenFile one, other;
        path = one.path();
        CHECK(one.token().size() == 32);
        CHECK(one.token() != other.token());
        CHECK(read_token_file(path) == one.token());
        CHECK((std::filesystem::status(path).permissions() & std::filesystem::perms(0777)) ==
              std::filesystem::perms(0600));
    }
    CHECK_FALSE(std::filesystem::exists(path));
}
