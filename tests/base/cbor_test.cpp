#include "base/cbor.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

using namespace convoy;
using nlohmann::json;

namespace {

/// A byte so often.
std::vector<std::byte> many(int byte, int count) {
    return std::vector<std::byte>(static_cast<std::size_t>(count), static_cast<std::byte>(byte));
}

/// So many arrays, one in another: 0x81 begins an array of one element, 0x80 is an empty one.
std::vector<std::byte> nested_arrays(int depth) {
    auto bytes = many(0x81, depth);
    bytes.back() = std::byte{0x80};
    return bytes;
}

/// So many objects, one in another, each under the key "".
std::vector<std::byte> nested_objects(int depth) {
    std::vector<std::byte> bytes;
    for (int i = 1; i < depth; ++i) bytes.insert(bytes.end(), {std::byte{0xa1}, std::byte{0x60}});
    bytes.push_back(std::byte{0xa0});
    return bytes;
}

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
    std::vector<std::byte> list;
    for (const int value : values) list.push_back(static_cast<std::byte>(value));
    return list;
}

json read(std::initializer_list<int> values) {
    return decode_cbor(bytes_of(values), "no");
}

/// Discarded if it refuses them.
json read_by_library(const std::vector<std::byte>& bytes) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
    try {
        return json::from_cbor(first, first + bytes.size());
    } catch (const json::exception&) {
        return json(json::value_t::discarded);
    }
}

}  // namespace

TEST_CASE("values of all kinds come back from CBOR") {
    const json value{{"null", nullptr},
                     {"yes", true},
                     {"least", std::numeric_limits<std::int64_t>::min()},
                     {"most", std::numeric_limits<std::uint64_t>::max()},
                     {"real", 0.1},
                     {"text", "\"\xc3\xa4"},
                     {"bytes", json::binary({0, 1, 255})},
                     {"empty", {{"list", json::array()}, {"object", json::object()}}},
                     {"nested", {1, {2, {{"three", {3, json::object(), 4}}}}, 5}}};
    CHECK(decode_cbor(encode_cbor(value), "no") == value);
    for (const auto& alone : {json(), json(7), json(-7), json("x"), json::array(), json::binary({})})
        CHECK(decode_cbor(encode_cbor(alone), "no") == alone);
}

// Appendix A of RFC 8949.
TEST_CASE("the standard's examples are read") {
    CHECK(read({0x1a, 0x00, 0x0f, 0x42, 0x40}) == 1000000);
    CHECK(read({0x39, 0x03, 0xe7}) == -1000);
    CHECK(read({0xf9, 0x3e, 0x00}) == 1.5);
    CHECK(read({0xa2, 0x61, 0x61, 0x01, 0x61, 0x62, 0x82, 0x02, 0x03}) == json{{"a", 1}, {"b", {2, 3}}});
    CHECK(read({0x9f, 0x01, 0x82, 0x02, 0x03, 0x9f, 0x04, 0x05, 0xff, 0xff}) == json{1, {2, 3}, {4, 5}});
    CHECK(read({0xbf, 0x63, 0x46, 0x75, 0x6e, 0xf5, 0xff}) == json{{"Fun", true}});
    CHECK(read({0x9f, 0xff}) == json::array());
}

TEST_CASE("of two values with one key the last one holds") {
    CHECK(read({0xa2, 0x61, 0x61, 0x82, 0x02, 0x03, 0x61, 0x61, 0x01}) == json{{"a", 1}});
}

TEST_CASE("what is no CBOR value, has bytes behind it or nests too deep is refused with the given words") {
    const auto refused = [](const std::vector<std::byte>& bytes) {
        CHECK_THROWS_MATCHES(decode_cbor(bytes, "garbage"), DataError, Catch::Message("garbage"));
    };
    CHECK(decode_cbor(nested_arrays(max_cbor_depth), "no").is_array());
    CHECK(decode_cbor(nested_objects(max_cbor_depth), "no").is_object());
    refused(nested_objects(max_cbor_depth + 1));
    refused(nested_objects(100'000));
    std::vector<std::byte> endless_objects;
    for (int i = 0; i < 100'000; ++i)
        endless_objects.insert(endless_objects.end(), {std::byte{0xbf}, std::byte{0x60}});
    refused(endless_objects);
    refused(nested_arrays(max_cbor_depth + 1));
    refused(nested_arrays(100'000));
    refused(many(0x9f, 100'000));
    refused({});
    auto long_one = encode_cbor({{"a", 1}});
    long_one.push_back(std::byte{0});
    refused(long_one);
    // Cut off at each byte.
    const auto whole =
        encode_cbor({{"bytes", json::binary(std::vector<std::uint8_t>(300))}, {"list", {1, 1e9}}});
    for (std::size_t size = 0; size < whole.size(); ++size)
        refused({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
    // Arrays, objects, bytes and texts of 2^64 - 1 and of 2^63 - 1 elements.
    for (const int begin : {0x9b, 0xbb, 0x5b, 0x7b}) {
        auto endless = many(0xff, 9);
        endless[0] = static_cast<std::byte>(begin);
        refused(endless);  // which the library takes for a length that is not told
        endless[1] = std::byte{0x7f};
        refused(endless);
    }
    // Tags, and a break that ends nothing.
    refused(bytes_of({0xc6, 0x00}));
    refused(bytes_of({0xd8, 0x2a, 0x41, 0x00}));
    refused(bytes_of({0xff}));
    refused(bytes_of({0x81, 0xff}));
}

TEST_CASE("a text or bytes in parts, into which the library recurses, are refused") {
    const auto refused = [](const std::vector<std::byte>& bytes) {
        CHECK_THROWS_AS(decode_cbor(bytes, "garbage"), DataError);
    };
    refused(bytes_of({0x7f, 0x61, 0x61, 0x61, 0x62, 0xff}));
    for (const int begin : {0x5f, 0x7f}) {
        refused(many(begin, 1'000'000));
        auto as_key = many(begin, 1'000'000);
        as_key.front() = std::byte{0xa1};
        refused(as_key);
    }
}

TEST_CASE("bytes that were changed are read as the library reads them, or refused") {
    const auto whole =
        encode_cbor({{"a", {1, 2.5, "three", {{"four", nullptr}}}}, {"b", json::binary({1, 2})}});
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (int value = 0; value < 256; ++value) {
            auto changed = whole;
            changed[at] = static_cast<std::byte>(value);
            const auto expected = read_by_library(changed);
            const bool may_be_in_parts = value == 0x5f || value == 0x7f;
            json found(json::value_t::discarded);
            try {
                found = decode_cbor(changed, "no");
            } catch (const DataError&) {
            }
            CAPTURE(at, value);
            if (!may_be_in_parts) CHECK(found.is_discarded() == expected.is_discarded());
            // Bytes, since a float may have become no number, which equals nothing.
            if (!found.is_discarded() && encode_cbor(found) != encode_cbor(expected)) FAIL("another value");
        }
}
