#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "base/bfloat16.hpp"

/// Codecs turn floats into 16 bits each and back, rounding to nearest, ties to even: one value, or `block`
/// values at a time.
namespace convoy {

/// The blocks of a codec that encodes and decodes value by value.
template <typename ByValue>
struct Looped : ByValue {
    static constexpr std::size_t block = 16;
    static void encode_block(const float* from, std::uint16_t* into) {
        for (std::size_t i = 0; i < block; ++i) into[i] = ByValue::encode(from[i]);
    }
    static void decode_block(const std::uint16_t* from, float* into) {
        for (std::size_t i = 0; i < block; ++i) into[i] = ByValue::decode(from[i]);
    }
};

struct Bfloat16ByValue {
    static std::uint16_t encode(float value) { return to_bfloat16(value).bits; }
    static float decode(std::uint16_t bits) { return to_float(Bfloat16{bits}); }
};

using Bfloat16Codec = Looped<Bfloat16ByValue>;

/// float16 (IEEE 754 binary16) on any processor: 5 bits of exponent, 10 of mantissa. By hand, since clang 14
/// has no _Float16 for x86-64.
struct PlainFloat16ByValue {
    static std::uint16_t encode(float value) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        const auto magnitude = bits & 0x7FFFFFFFU;
        // The exponents' biases differ by 112; half of the lowest bit that stays, less 1 before an even one,
        // rounds.
        auto half = (magnitude - (112U << 23U) + 0xFFFU + ((magnitude >> 13U) & 1U)) >> 13U;
        // Below 2^-14: 0.5 is so large that the sum keeps multiples of 2^-24 only.
        if (magnitude < 0x38800000U)
            half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3F000000U;
        if (magnitude >= 0x477FF000U) half = 0x7C00U;  // from 65520 on: infinity
        if (magnitude > 0x7F800000U) half = 0x7E00U | ((magnitude >> 13U) & 0x3FFU);  // a NaN stays one
        return static_cast<std::uint16_t>((bits >> 16U & 0x8000U) | half);
    }
    static float decode(std::uint16_t bits) {
        const auto magnitude = bits & 0x7FFFU;
        auto value = std::bit_cast<float>((magnitude << 13U) + (112U << 23U));
        if (magnitude < 0x400U) value = static_cast<float>(magnitude) * 0x1.0p-24F;
        if (magnitude >= 0x7C00U) value = std::bit_cast<float>(magnitude << 13U | 0x7F800000U);
        return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | (bits & 0x8000U) << 16U);
    }
};

using PlainFloat16Codec = Looped<PlainFloat16ByValue>;

#ifdef __x86_64__
/// float16 by the instructions of processors that have F16C.
struct F16cCodec {
    [[gnu::target("avx,f16c")]] static std::uint16_t encode(float value) {
        const auto halves = _mm_cvtps_ph(_mm_set_ss(value), _MM_FROUND_TO_NEAREST_INT);
        return static_cast<std::uint16_t>(_mm_extract_epi16(halves, 0));
    }
    [[gnu::target("avx,f16c")]] static float decode(std::uint16_t bits) { return _cvtsh_ss(bits); }

    static constexpr std::size_t block = 8;
    [[gnu::target("avx,f16c")]] static void encode_block(const float* from, std::uint16_t* into) {
        const auto halves = _mm256_cvtps_ph(_mm256_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(into), halves);
    }
    [[gnu::target("avx,f16c")]] static void decode_block(const std::uint16_t* from, float* into) {
        _mm256_storeu_ps(into, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
    }
};

/// Processors with AVX2 have F16C. clang 14 cannot ask for F16C itself.
inline bool has_f16c() {
    return __builtin_cpu_supports("avx2") != 0;
}

/// Calls use(codec); what use() calls is inlined, and compiled for these processors.
template <typename Use>
[[gnu::target("avx,f16c"), gnu::flatten]] void with_f16c(Use use) {
    use(F16cCodec());
}
#endif

/// Calls use(codec) with the quickest codec of float16 that this processor has.
template <typename Use>
void with_float16(const Use& use) {
#ifdef __x86_64__
    if (has_f16c()) {
        with_f16c(use);
        return;
    }
#endif
    use(PlainFloat16Codec());
}

}  // namespace convoy
