#include "collective/wire_codecs.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using namespace convoy;

namespace {

/// Every number of float16, and the numbers in the middle between two of them and next to the middle.
std::vector<float> numbers_and_middles() {
    std::vector<float> numbers;
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const auto number = PlainFloat16Codec::decode(static_cast<std::uint16_t>(bits));
        if (std::isnan(number)) continue;
        const auto next = PlainFloat16Codec::decode(static_cast<std::uint16_t>(bits + 1));
        const auto middle = std::isfinite(number) && std::isfinite(next) ? (number + next) / 2 : number;
        for (const auto value : {number, middle, std::nextafter(middle, 1e9F), std::nextafter(middle, -1e9F)})
            numbers.push_back(value);
    }
    // From the middle between the greatest number and the next one, which would be 65536, values are
    // infinite.
    for (const auto value : {65519.996F, 65520.0F, 65536.0F, 3e38F})
        for (const auto sign : {1.0F, -1.0F}) numbers.push_back(sign * value);
    numbers.resize((numbers.size() + 15) / 16 * 16);
    return numbers;
}

/// Encodes and decodes in blocks.
template <typename Codec>
void encode_and_decode(const std::vector<float>& values, std::vector<std::uint16_t>& bits,
                       std::vector<float>& back) {
    for (std::size_t i = 0; i < values.size(); i += Codec::block) {
        Codec::encode_block(values.data() + i, bits.data() + i);
        Codec::decode_block(bits.data() + i, back.data() + i);
    }
}

}  // namespace

TEST_CASE("processors with and without float16 round alike") {
    const auto values = numbers_and_middles();
    std::vector<std::uint16_t> plain_bits(values.size()), bits(values.size());
    std::vector<float> plain_back(values.size()), back(values.size());
    encode_and_decode<PlainFloat16Codec>(values, plain_bits, plain_back);
    with_float16([&](auto codec) { encode_and_decode<decltype(codec)>(values, bits, back); });
    CHECK(bits == plain_bits);
    CHECK(back == plain_back);
    bool singly = true;
    with_float16([&](auto codec) {
        for (std::size_t i = 0; i < values.size(); ++i)
            singly = singly && codec.encode(values[i]) == bits[i] && codec.decode(bits[i]) == back[i];
    });
    CHECK(singly);
}

TEST_CASE("float16 of any processor, by known bits") {
    // IEEE 754 binary16; numpy.float16(x).view("uint16") gives the same.
    const std::vector<std::pair<float, std::uint16_t>> known{
        {1.0F, 0x3C00},     {-2.0F, 0xC000},          {65504.0F, 0x7BFF},       {65519.996F, 0x7BFF},
        {65520.0F, 0x7C00}, {-65536.0F, 0xFC00},      {0x1p-14F, 0x0400},       {0x1p-24F, 0x0001},
        {0x1p-25F, 0x0000}, {0x1.8p-25F, 0x0001},     {0x1.ff8p-15F, 0x03FF},   {0x1.ffcp-15F, 0x0400},
        {0.1F, 0x2E66},     {1.00048828125F, 0x3C00}, {1.00146484375F, 0x3C02}, {-0.0F, 0x8000}};
    for (const auto& [value, bits] : known) {
        INFO(value);
        CHECK(PlainFloat16Codec::encode(value) == bits);
    }
    for (const std::uint32_t bits : {0x7FC00000U, 0xFFC12345U, 0x7F800001U}) {
        const auto nan = PlainFloat16Codec::encode(std::bit_cast<float>(bits));
        CHECK(std::isnan(PlainFloat16Codec::decode(nan)));
        with_float16([&](auto codec) { CHECK(codec.encode(std::bit_cast<float>(bits)) == nan); });
    }
}
