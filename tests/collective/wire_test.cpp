#include "collective/wire.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace convoy;

namespace {

constexpr float wire_infinity = std::numeric_limits<float>::infinity();

std::vector<std::uint16_t> encoded(WireType type, std::vector<float> values) {
    std::vector<std::uint16_t> bits(values.size());
    encode(type, values, std::as_writable_bytes(std::span(bits)));
    return bits;
}

std::vector<float> decoded(WireType type, const std::vector<std::uint16_t>& bits) {
    std::vector<float> values(bits.size(), 7.0F);
    decode(type, std::as_bytes(std::span(bits)), values);
    return values;
}

}  // namespace

TEST_CASE("float16 and bfloat16 by their definitions, in blocks and one by one") {
    // The bits are those of numpy and PyTorch: make_wire.py.
    const std::vector<float> values{
        0.0F,          -0.0F,          1.0F,    -2.0F,         65504.0F,       65520.0F,
        0x1p-24F,      0x1p-25F,       0.1F,    1.0009765625F, 1.00048828125F, 1.00146484375F,
        wire_infinity, -wire_infinity, 3.0e38F, 1.00390625F,   1.01171875F};
    CHECK(encoded(WireType::float16, values) ==
          std::vector<std::uint16_t>{0x0000, 0x8000, 0x3C00, 0xC000, 0x7BFF, 0x7C00, 0x0001, 0x0000, 0x2E66,
                                     0x3C01, 0x3C00, 0x3C02, 0x7C00, 0xFC00, 0x7C00, 0x3C04, 0x3C0C});
    CHECK(encoded(WireType::bfloat16, values) ==
          std::vector<std::uint16_t>{0x0000, 0x8000, 0x3F80, 0xC000, 0x4780, 0x4780, 0x3380, 0x3300, 0x3DCD,
                                     0x3F80, 0x3F80, 0x3F80, 0x7F80, 0xFF80, 0x7F62, 0x3F80, 0x3F82});
    for (const auto type : {WireType::float16, WireType::bfloat16}) {
        const auto whole = encoded(type, values);
        for (std::size_t i = 0; i < values.size(); ++i)
            CHECK(encoded(type, {values[i]}) == std::vector{whole[i]});
    }
}

TEST_CASE("every number of 16 bits comes back as it went, and NaN stays one") {
    for (const auto type : {WireType::float16, WireType::bfloat16}) {
        std::vector<std::uint16_t> all(65536);
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
        const auto values = decoded(type, all);
        const auto back = encoded(type, values);
        bool same = true, nan_stays = true;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (std::isnan(values[i])) {
                nan_stays = nan_stays && std::isnan(decoded(type, {back[i]})[0]);
            } else {
                same = same && back[i] == all[i];
            }
        }
        CHECK(same);
        CHECK(nan_stays);
    }
    const auto nan = encoded(WireType::bfloat16, {std::bit_cast<float>(0x7FFFFFFFU)});
    CHECK(std::isnan(decoded(WireType::bfloat16, nan)[0]));
}

TEST_CASE("the sender keeps what arrives, and what arrives is added or stored") {
    for (const auto type : {WireType::float32, WireType::float16, WireType::bfloat16}) {
        std::vector<float> sent(37);
        for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = 0.37F * static_cast<float>(i) - 3.0F;
        auto rounded = sent;
        round_to(type, rounded);
        std::vector<std::byte> bytes(sent.size() * element_bytes(element_type(type)));
        encode(type, sent, bytes);
        CHECK(sent == rounded);
        std::vector<float> stored(sent.size(), 9.0F), added(sent.size(), 1.0F);
        decode(type, bytes, stored);
        decode_add(type, bytes, added);
        CHECK(stored == sent);
        for (std::size_t i = 0; i < sent.size(); ++i) CHECK(added[i] == sent[i] + 1.0F);
    }
}
