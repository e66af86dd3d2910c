#include "base/cbor.hpp"

#include <catch2/catch.hpp>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

using namespace convoy;
using nlohmann::json;

namespace {

/// So many arrays, one in another: 0x81 begins an array of one element, 0x80 is an empty one.
std::vector<std::byte> nested_arrays(int depth) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(depth), std::byte{0x81});
    bytes.back() = std::byte{0x80};
    return bytes;
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
    const auto bytes = [](std::initializer_list<int> values) {
        std::vector<std::byte> list;
        for (const int value : values) list.push_back(static_cast<std::byte>(value));
        return list;
    };
    CHECK(decode_cbor(bytes({0x1a, 0x00, 0x0f, 0x42, 0x40}), "no") == 1000000);
    CHECK(decode_cbor(bytes({0x39, 0x03, 0xe7}), "no") == -1000);
    CHECK(decode_cbor(bytes({0xf9, 0x3e, 0x00}), "no") == 1.5);
    CHECK(decode_cbor(bytes({0xa2, 0x61, 0x61, 0x01, 0x61, 0x62, 0x82, 0x02, 0x03}), "no") ==
          json{{"a", 1}, {"b", {2, 3}}});
    CHECK(decode_cbor(bytes({0x9f, 0x01, 0x82, 0x02, 0x03, 0x9f, 0x04, 0x05, 0xff, 0xff}), "no") ==
          json{1, {2, 3}, {4, 5}});
    CHECK(decode_cbor(bytes({0xbf, 0x63, 0x46, 0x75, 0x6e, 0xf5, 0xff}), "no") == json{{"Fun", true}});
}

TEST_CASE("what is no CBOR value, has bytes behind it or nests too deep is refused with the given words") {
    const auto refused = [](const std::vector<std::byte>& bytes) {
        CHECK_THROWS_MATCHES(decode_cbor(bytes, "garbage"), DataError, Catch::Message("garbage"));
    };
    CHECK(decode_cbor(nested_arrays(max_cbor_depth), "no").is_array());
    refused(nested_arrays(max_cbor_depth + 1));
    refused(nested_arrays(100'000));
    refused({});
    auto long_one = encode_cbor({{"a", 1}});
    long_one.push_back(std::byte{0});
    refused(long_one);
    auto short_one = encode_cbor({{"bytes", json::binary(std::vector<std::uint8_t>(300))}});
    short_one.pop_back();
    refused(short_one);
    // An array and a text of 2^63 - 1 elements, and a tag, which the values of encode_cbor do not have.
    for (const int begin : {0x9b, 0x7b}) {
        std::vector<std::byte> endless(9, std::byte{0xff});
        endless[0] = static_cast<std::byte>(begin);
        endless[1] = std::byte{0x7f};
        refused(endless);
    }
    refused({std::byte{0xc1}, std::byte{0x00}});
}
