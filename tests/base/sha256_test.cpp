#include "base/sha256.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"

using namespace convoy;

namespace {

/// The examples of FIPS 180-4 (NIST's "Examples with Intermediate Values"), and the empty text.
constexpr auto of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr auto of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr auto of_million_a = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

}  // namespace

TEST_CASE("sha256 gives the known answers") {
    CHECK(sha256("") == of_nothing);
    CHECK(sha256("abc") == of_abc);
    CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256(std::string(1000000, 'a')) == of_million_a);
}

TEST_CASE("sha256 of a file does not depend on how it is cut into pieces") {
    const TemporaryFolder folder;
    const std::string pieces((std::size_t{1} << 20U) + 1, 'x');
    for (const std::string& content :
         {std::string(), std::string("abc"), std::string(1000000, 'a'), pieces}) {
        write_whole(folder / "file", std::string_view(content));
        CHECK(sha256_of_file(folder / "file") == sha256(content));
    }
    CHECK_THROWS_AS(sha256_of_file(folder / "none"), MissingFileError);
}
