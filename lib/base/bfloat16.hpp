#pragma once

#include <bit>
#include <cstdint>

namespace convoy {

/// The upper half of a float32: its exponent, and 8 significant bits.
struct Bfloat16 {
    std::uint16_t bits;
};

/// The nearest bfloat16, ties to even. Loops over this function vectorise.
inline Bfloat16 to_bfloat16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto rounded = bits + 0x7FFFU + ((bits >> 16U) & 1U);
    // Rounding could carry a NaN into an infinity.
    const bool is_nan = (bits & 0x7FFFFFFFU) > 0x7F800000U;
    return {static_cast<std::uint16_t>((is_nan ? bits | 0x400000U : rounded) >> 16U)};
}

inline float to_float(Bfloat16 value) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16U);
}

}  // namespace convoy
