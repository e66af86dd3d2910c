#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#ifdef __AVX512BF16__
#include <immintrin.h>
#endif

#include "base/bfloat16.hpp"

/// Vectors of floats, which are loaded from and written to values of a stored type.
namespace convoy::onednn {

template <std::size_t Lanes>
struct VectorTypes {
    using Floats [[gnu::vector_size(Lanes * sizeof(float))]] = float;
    using Words [[gnu::vector_size(Lanes * sizeof(std::uint32_t))]] = std::uint32_t;
    using Halves [[gnu::vector_size(Lanes * sizeof(std::uint16_t))]] = std::uint16_t;
};

template <std::size_t Lanes>
void load(const float* from, typename VectorTypes<Lanes>::Floats& into) {
    std::memcpy(&into, from, sizeof(into));
}

template <std::size_t Lanes>
void load(const Bfloat16* from, typename VectorTypes<Lanes>::Floats& into) {
    typename VectorTypes<Lanes>::Halves halves;
    std::memcpy(&halves, from, sizeof(halves));
    const auto words = __builtin_convertvector(halves, typename VectorTypes<Lanes>::Words) << 16U;
    std::memcpy(&into, &words, sizeof(into));
}

template <std::size_t Lanes>
void store(const typename VectorTypes<Lanes>::Floats& values, float* into) {
    std::memcpy(into, &values, sizeof(values));
}

/// Rounds as to_bfloat16 does.
template <std::size_t Lanes>
void store(const typename VectorTypes<Lanes>::Floats& values, Bfloat16* into) {
#ifdef __AVX512BF16__
    if constexpr (Lanes == 16) {
        const __m256bh halves = _mm512_cvtneps_pbh(values);
        std::memcpy(into, &halves, sizeof(halves));
        return;
    }
#endif
    for (std::size_t lane = 0; lane < Lanes; ++lane) into[lane] = to_bfloat16(values[lane]);
}

}  // namespace convoy::onednn
