#include "collective/wire.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#ifdef __F16C__
#include <immintrin.h>
#endif

#include "base/bfloat16.hpp"
#include "base/error.hpp"

namespace convoy {
namespace {

/// A codec turns block values at a time into 16 bits each and back; the rest of a range one by one.
struct Float16 {
#ifdef __F16C__
    static std::uint16_t encode(float value) {
        const auto halves = _mm_cvtps_ph(_mm_set_ss(value), _MM_FROUND_TO_NEAREST_INT);
        return static_cast<std::uint16_t>(_mm_extract_epi16(halves, 0));
    }
    static float decode(std::uint16_t bits) {
        return _cvtsh_ss(bits);
    }
    static constexpr std::size_t block = 8;
    static void encode_block(const float* from, std::uint16_t* into) {
        const auto halves = _mm256_cvtps_ph(_mm256_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(into), halves);
    }
    static void decode_block(const std::uint16_t* from, float* into) {
        _mm256_storeu_ps(into, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
    }
#else
    static std::uint16_t encode(float value) {
        return std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
    }
    static float decode(std::uint16_t bits) {
        return static_cast<float>(std::bit_cast<_Float16>(bits));
    }
    static constexpr std::size_t block = 1;
    static void encode_block(const float* from, std::uint16_t* into) {
        *into = encode(*from);
    }
    static void decode_block(const std::uint16_t* from, float* into) {
        *into = decode(*from);
    }
#endif
};

struct Bfloat16Codec {
    static std::uint16_t encode(float value) { return to_bfloat16(value).bits; }
    static float decode(std::uint16_t bits) { return to_float(Bfloat16{bits}); }

    static constexpr std::size_t block = 16;
    static void encode_block(const float* from, std::uint16_t* into) {
        for (std::size_t i = 0; i < block; ++i) into[i] = encode(from[i]);
    }
    static void decode_block(const std::uint16_t* from, float* into) {
        for (std::size_t i = 0; i < block; ++i) into[i] = decode(from[i]);
    }
};

/// Blocks go through small arrays, since a range of bytes need not be aligned. into may be nullptr.
template <typename Codec>
void encode_as(std::span<float> values, std::byte* into) {
    std::uint16_t bits[Codec::block];
    std::size_t i = 0;
    for (; i + Codec::block <= values.size(); i += Codec::block) {
        Codec::encode_block(values.data() + i, bits);
        if (into != nullptr) std::memcpy(into + i * sizeof(bits[0]), bits, sizeof(bits));
        Codec::decode_block(bits, values.data() + i);
    }
    for (; i < values.size(); ++i) {
        bits[0] = Codec::encode(values[i]);
        if (into != nullptr) std::memcpy(into + i * sizeof(bits[0]), bits, sizeof(bits[0]));
        values[i] = Codec::decode(bits[0]);
    }
}

template <typename Codec>
void encode_copy_as(std::span<const float> values, std::byte* into) {
    std::uint16_t bits[Codec::block];
    std::size_t i = 0;
    for (; i + Codec::block <= values.size(); i += Codec::block) {
        Codec::encode_block(values.data() + i, bits);
        std::memcpy(into + i * sizeof(bits[0]), bits, sizeof(bits));
    }
    for (; i < values.size(); ++i) {
        bits[0] = Codec::encode(values[i]);
        std::memcpy(into + i * sizeof(bits[0]), bits, sizeof(bits[0]));
    }
}

template <typename Codec, bool adds>
void decode_as(const std::byte* arrived, std::span<float> values) {
    std::uint16_t bits[Codec::block];
    float decoded[Codec::block];
    std::size_t i = 0;
    for (; i + Codec::block <= values.size(); i += Codec::block) {
        std::memcpy(bits, arrived + i * sizeof(bits[0]), sizeof(bits));
        Codec::decode_block(bits, decoded);
        for (std::size_t j = 0; j < Codec::block; ++j)
            values[i + j] = adds ? values[i + j] + decoded[j] : decoded[j];
    }
    for (; i < values.size(); ++i) {
        std::memcpy(bits, arrived + i * sizeof(bits[0]), sizeof(bits[0]));
        const auto value = Codec::decode(bits[0]);
        values[i] = adds ? values[i] + value : value;
    }
}

void add_floats(const std::byte* arrived, std::span<float> values) {
    const auto* __restrict__ more = reinterpret_cast<const float*>(arrived);
    float* __restrict__ sum = values.data();
    for (std::size_t i = 0; i < values.size(); ++i) sum[i] += more[i];
}

[[noreturn]] void refuse_type() {
    throw InternalError("top_k is not a type of single values");
}

}  // namespace

ElementType element_type(WireType type) {
    switch (type) {
        case WireType::float32: return ElementType::float32;
        case WireType::float16: return ElementType::float16;
        case WireType::bfloat16: return ElementType::bfloat16;
        case WireType::top_k: break;
    }
    refuse_type();
}

void encode(WireType type, std::span<float> values, std::span<std::byte> into) {
    switch (type) {
        case WireType::float32: std::memcpy(into.data(), values.data(), values.size_bytes()); return;
        case WireType::float16: encode_as<Float16>(values, into.data()); return;
        case WireType::bfloat16: encode_as<Bfloat16Codec>(values, into.data()); return;
        case WireType::top_k: refuse_type();
    }
}

void encode_copy(WireType type, std::span<const float> values, std::span<std::byte> into) {
    switch (type) {
        case WireType::float32: std::memcpy(into.data(), values.data(), values.size_bytes()); return;
        case WireType::float16: encode_copy_as<Float16>(values, into.data()); return;
        case WireType::bfloat16: encode_copy_as<Bfloat16Codec>(values, into.data()); return;
        case WireType::top_k: refuse_type();
    }
}

void decode_add(WireType type, std::span<const std::byte> arrived, std::span<float> values) {
    switch (type) {
        case WireType::float32: add_floats(arrived.data(), values); return;
        case WireType::float16: decode_as<Float16, true>(arrived.data(), values); return;
        case WireType::bfloat16: decode_as<Bfloat16Codec, true>(arrived.data(), values); return;
        case WireType::top_k: refuse_type();
    }
}

void decode(WireType type, std::span<const std::byte> arrived, std::span<float> values) {
    switch (type) {
        case WireType::float32: std::memcpy(values.data(), arrived.data(), values.size_bytes()); return;
        case WireType::float16: decode_as<Float16, false>(arrived.data(), values); return;
        case WireType::bfloat16: decode_as<Bfloat16Codec, false>(arrived.data(), values); return;
        case WireType::top_k: refuse_type();
    }
}

void round_to(WireType type, std::span<float> values) {
    switch (type) {
        case WireType::float32: return;
        case WireType::float16: encode_as<Float16>(values, nullptr); return;
        case WireType::bfloat16: encode_as<Bfloat16Codec>(values, nullptr); return;
        case WireType::top_k: refuse_type();
    }
}

}  // namespace convoy
