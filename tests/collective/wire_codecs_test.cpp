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
    numbers.resize(numbers.size() / 16 * 16);
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
    CHECK(std::isnan(PlainFloat16Codec::decode(PlainFloat16Codec::encode(std::nanf("")))));
}
