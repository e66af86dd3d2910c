#include "data/idx.hpp"

#include <catch2/catch.hpp>
#include <optional>

#include "base/error.hpp"
#include "data/idx_files.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

namespace {

std::span<const std::uint8_t> as_bytes(const std::string& text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

IdxArray read_raw(const std::string& content, std::size_t rank) {
    return read_idx(*memory_source("FILE", as_bytes(content)), rank);
}

IdxArray read_gzip(const std::string& content, std::size_t rank) {
    return read_idx(*gzip_source(memory_source("FILE", as_bytes(content))), rank);
}

std::string flipped(std::string content, std::size_t byte, int bit = 0) {
    content.at(byte) = static_cast<char>(content[byte] ^ (1 << bit));
    return content;
}

const std::string images = idx_bytes({3, 2, 2}, "abcdefghijkl");

}  // namespace

TEST_CASE("an IDX file is read, raw and gzipped") {
    // A header as the MNIST page writes it: magic 0x00000803.
    CHECK(images.substr(0, 8) == std::string("\x00\x00\x08\x03\x00\x00\x00\x03", 8));
    for (const auto& array : {read_raw(images, 3), read_gzip(gzipped(images), 3)}) {
        CHECK(array.shape == Shape{3, 2, 2});
        CHECK(std::string(array.bytes.begin(), array.bytes.end()) == "abcdefghijkl");
    }
    CHECK(read_raw(idx_bytes({300}, std::string(300, 'x')), 1).bytes.size() == 300);
}

TEST_CASE("a damaged IDX header is refused, with the file's name") {
    CHECK_THROWS_WITH(read_raw(flipped(images, 0), 3),
                      Contains("FILE: not an IDX file: it begins with 01000803"));
    CHECK_THROWS_WITH(read_raw(flipped(images, 2), 3), Contains("element type 0x09"));
    CHECK_THROWS_WITH(read_raw(flipped(images, 3), 3), Contains("says 2 dimensions where 3 are expected"));
    CHECK_THROWS_WITH(read_raw(images, 1), Contains("says 3 dimensions where 1 are expected"));
    CHECK_THROWS_WITH(read_raw(idx_bytes({0, 2, 2}, ""), 3), Contains("dimension 0 is 0"));
    CHECK_THROWS_AS(read_raw(images.substr(0, 3), 3), DataError);
    CHECK_THROWS_WITH(read_raw(images.substr(0, 14), 3), Contains("truncated"));
    CHECK_THROWS_WITH(read_raw("", 3), Contains("truncated"));
}

TEST_CASE("extents that the file cannot hold are refused before memory is taken") {
    constexpr std::uint32_t huge = 0xFFFFFFFFU;
    for (const auto& content : {idx_bytes({huge, huge, huge}, "abc"), idx_bytes({huge, 1, 1}, "abc"),
                                idx_bytes({1U << 31U, 1U << 31U, 4}, "abc")}) {
        CHECK_THROWS_WITH(read_raw(content, 3), Contains("at most can be there"));
        CHECK_THROWS_WITH(read_gzip(gzipped(content), 3), Contains("at most can be there"));
    }
}

TEST_CASE("an IDX file must be exactly as long as it says") {
    for (std::size_t length = 0; length < images.size(); ++length) {
        CHECK_THROWS_AS(read_raw(images.substr(0, length), 3), DataError);
        CHECK_THROWS_AS(read_gzip(gzipped(images.substr(0, length)), 3), DataError);
    }
    CHECK_THROWS_WITH(read_raw(images + "z", 3), Contains("bytes follow the 12 elements"));
    CHECK_THROWS_WITH(read_gzip(gzipped(images + "z"), 3), Contains("bytes follow the 12 elements"));
    CHECK_THROWS_WITH(read_gzip(gzipped(images.substr(0, 20)), 3), Contains("4 of the 12 bytes"));
}

TEST_CASE("a damaged gzip stream is refused wherever it is damaged") {
    const auto whole = gzipped(images);
    for (std::size_t length = 0; length < whole.size(); ++length) {
        CHECK_THROWS_AS(read_gzip(whole.substr(0, length), 3), DataError);
    }
    CHECK_THROWS_WITH(read_gzip(whole.substr(0, whole.size() - 1), 3), Contains("truncated"));
    // The trailer is CRC-32 and length, four bytes each (RFC 1952).
    CHECK_THROWS_WITH(read_gzip(flipped(whole, whole.size() - 8), 3), Contains("incorrect data check"));
    CHECK_THROWS_WITH(read_gzip(flipped(whole, whole.size() - 4), 3), Contains("incorrect length check"));
    CHECK_THROWS_WITH(read_gzip(whole + "tail", 3), Contains("other bytes follow"));
    CHECK_THROWS_AS(read_gzip(images, 3), DataError);
    // Any flipped bit behind the header is noticed, or (padding, equivalent codes) changes nothing that is
    // read.
    for (std::size_t byte = 10; byte < whole.size(); ++byte) {
        for (int bit = 0; bit < 8; ++bit) {
            std::optional<IdxArray> read;
            try {
                read = read_gzip(flipped(whole, byte, bit), 3);
            } catch (const DataError&) {
                continue;
            }
            CHECK(read->bytes == read_raw(images, 3).bytes);
        }
    }
}

TEST_CASE("labels must be classes") {
    const std::vector<std::uint8_t> labels{0, 9, 3, 10};
    CHECK_NOTHROW(check_idx_labels(labels, 11, "FILE"));
    CHECK_THROWS_WITH(check_idx_labels(labels, 10, "FILE"),
                      Contains("FILE: label 10 of example 3 is not one of the 10 classes 0 to 9"));
}

TEST_CASE("a raw IDX file is preferred to its gzipped form") {
    const TemporaryFolder folder;
    CHECK_THROWS_AS(find_idx_file(folder.path(), "a"), MissingFileError);
    CHECK_THROWS_WITH(find_idx_file(folder.path(), "a"), Contains((folder.path() / "a").string()));
    folder.write("a.gz", gzipped(images));
    CHECK(find_idx_file(folder.path(), "a") == folder.path() / "a.gz");
    CHECK(read_idx(*inflated_file(folder.path() / "a.gz"), 3).shape == Shape{3, 2, 2});
    folder.write("a", images);
    CHECK(find_idx_file(folder.path(), "a") == folder.path() / "a");
    CHECK(read_idx(*inflated_file(folder.path() / "a"), 3).shape == Shape{3, 2, 2});
    CHECK_THROWS_AS(inflated_file(folder.path()), MissingFileError);
}
