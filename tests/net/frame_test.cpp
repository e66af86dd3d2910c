#include "net/frame.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>

#include "base/error.hpp"

using convoy::ElementType;
using convoy::ExchangeOperation;
using convoy::FrameHeader;
using convoy::FrameHeaderBytes;
using convoy::FrameKind;

namespace {

constexpr std::uint64_t no_limit = ~std::uint64_t{0};

const FrameHeader segment{.kind = FrameKind::collective,
                          .type = ElementType::float32,
                          .operation = ExchangeOperation::all_reduce_sum,
                          .group = 0xA1B2,
                          .step = 0x01020304,
                          .sequence = 17,
                          .element_count = 0x0102030405,
                          .first_element = 0x0100000000,
                          .payload_bytes = 0x40000};

FrameHeader decode(const FrameHeaderBytes& bytes, std::uint64_t limit = no_limit) {
    return convoy::decode_frame_header(bytes, limit, "node 2");
}

/// segment's bytes with one of them changed.
FrameHeaderBytes with(std::size_t at, unsigned value) {
    auto bytes = convoy::encode_frame_header(segment);
    bytes.at(at) = static_cast<std::byte>(value);
    return bytes;
}

}  // namespace

TEST_CASE("a collective frame's header is these bytes") {
    constexpr std::array<unsigned char, 48> expected{
        0x43, 0x4E, 0x56, 0x59,                          // magic
        0x04, 0x00,                                      // version
        0x03,                                            // kind
        0x01,                                            // element type
        0x01,                                            // operation
        0x00,                                            // reserved
        0xB2, 0xA1,                                      // group
        0x04, 0x03, 0x02, 0x01,                          // step
        0x11, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // sequence
        0x05, 0x04, 0x03, 0x02, 0x01, 0x00, 0x00, 0x00,  // element count
        0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,  // first element
        0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00,  // payload bytes
    };
    const auto bytes = convoy::encode_frame_header(segment);
    CHECK(std::memcmp(bytes.data(), expected.data(), expected.size()) == 0);
    CHECK(decode(bytes) == segment);
}

TEST_CASE("every kind of header is read as it was written") {
    for (const auto& header : {FrameHeader{.kind = FrameKind::message, .payload_bytes = 12},
                               FrameHeader{.kind = FrameKind::hello, .payload_bytes = 0},
                               FrameHeader{.kind = FrameKind::failure, .payload_bytes = 40}}) {
        CHECK(decode(convoy::encode_frame_header(header)) == header);
    }
}

TEST_CASE("headers that are none, or impossible, are refused by the peer's name") {
    CHECK_THROWS_WITH(decode(with(0, 'X')), Catch::StartsWith("node 2: "));
    CHECK_THROWS_AS(decode(with(0, 'X')), convoy::DataError);
    CHECK_THROWS_AS(decode(with(4, 1)), convoy::DisagreementError);  // version
    CHECK_THROWS_AS(decode(with(6, 0)), convoy::DataError);          // kind
    CHECK_THROWS_AS(decode(with(6, 5)), convoy::DataError);
    CHECK_THROWS_AS(decode(with(7, 6)), convoy::DataError);  // element type
    CHECK_THROWS_AS(decode(with(7, 0)), convoy::DataError);
    CHECK_THROWS_AS(decode(with(8, 7)), convoy::DataError);  // operation
    CHECK_THROWS_AS(decode(with(8, 0)), convoy::DataError);
    CHECK_THROWS_AS(decode(with(9, 1)), convoy::DataError);     // reserved
    CHECK_THROWS_AS(decode(with(30, 1)), convoy::DataError);    // more than 2^40 elements
    CHECK_THROWS_AS(decode(with(36, 2)), convoy::DataError);    // starts beyond the end
    CHECK_THROWS_AS(decode(with(40, 2)), convoy::DataError);    // part of an element
    CHECK_THROWS_AS(decode(with(45, 1)), convoy::DataError);    // ends beyond the end
    CHECK_THROWS_AS(decode(with(47, 255)), convoy::DataError);  // ends beyond 2^63
    CHECK_THROWS_AS(decode(with(6, 1)), convoy::DataError);     // a message with an exchange's fields
}

TEST_CASE("a payload above the limit is refused before memory is taken") {
    const auto bytes = convoy::encode_frame_header({.kind = FrameKind::message, .payload_bytes = 1001});
    CHECK_NOTHROW(decode(bytes, 1001));
    CHECK_THROWS_WITH(decode(bytes, 1000), Catch::Contains("1001 bytes where at most 1000"));
}

TEST_CASE("every field of a collective is compared") {
    const auto differs = [](auto change) {
        auto found = segment;
        change(found);
        CHECK_THROWS_AS(convoy::check_same_exchange(found, segment, "node 2"), convoy::DisagreementError);
    };
    CHECK_NOTHROW(convoy::check_same_exchange(segment, segment, "node 2"));
    differs([](FrameHeader& header) { header.kind = FrameKind::message; });
    differs([](FrameHeader& header) { header.type = ElementType::int64; });
    differs([](FrameHeader& header) { header.operation = ExchangeOperation::none; });
    differs([](FrameHeader& header) { ++header.group; });
    differs([](FrameHeader& header) { ++header.step; });
    differs([](FrameHeader& header) { ++header.sequence; });
    differs([](FrameHeader& header) { ++header.element_count; });
    differs([](FrameHeader& header) { ++header.first_element; });
    differs([](FrameHeader& header) { ++header.payload_bytes; });
    auto found = segment;
    found.element_count = 99;
    CHECK_THROWS_WITH(
        convoy::check_same_exchange(found, segment, "node 2"),
        Catch::StartsWith("node 2: element count 99 where this node has 4328719365, in collective 17"));
}
