#include "collective/wire.hpp"

#include <cstdint>
#include <cstring>

#include "base/cpu_versions.hpp"
#include "base/error.hpp"
#include "collective/wire_codecs.hpp"

namespace convoy {
namespace {

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
    in_cpu_version([arrived, values] {
        const auto* __restrict__ more = reinterpret_cast<const float*>(arrived);
        float* __restrict__ sum = values.data();
        for (std::size_t i = 0; i < values.size(); ++i) sum[i] += more[i];
    });
}

/// Calls use(codec) with the codec of a type of 16 bits.
template <typename Use>
void with_codec(WireType type, const Use& use) {
    if (type == WireType::float16) {
        with_float16(use);
    } else {
        in_cpu_version([use] { use(Bfloat16Codec()); });
    }
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
        case WireType::float16:
        case WireType::bfloat16:
            with_codec(type, [=](auto codec) { encode_as<decltype(codec)>(values, into.data()); });
            return;
        case WireType::top_k: refuse_type();
    }
}

void encode_copy(WireType type, std::span<const float> values, std::span<std::byte> into) {
    switch (type) {
        case WireType::float32: std::memcpy(into.data(), values.data(), values.size_bytes()); return;
        case WireType::float16:
        case WireType::bfloat16:
            with_codec(type, [=](auto codec) { encode_copy_as<decltype(codec)>(values, into.data()); });
            return;
        case WireType::top_k: refuse_type();
    }
}

void decode_add(WireType type, std::span<const std::byte> arrived, std::span<float> values) {
    switch (type) {
        case WireType::float32: add_floats(arrived.data(), values); return;
        case WireType::float16:
        case WireType::bfloat16:
            with_codec(type, [=](auto codec) { decode_as<decltype(codec), true>(arrived.data(), values); });
            return;
        case WireType::top_k: refuse_type();
    }
}

void decode(WireType type, std::span<const std::byte> arrived, std::span<float> values) {
    switch (type) {
        case WireType::float32: std::memcpy(values.data(), arrived.data(), values.size_bytes()); return;
        case WireType::float16:
        case WireType::bfloat16:
            with_codec(type, [=](auto codec) { decode_as<decltype(codec), false>(arrived.data(), values); });
            return;
        case WireType::top_k: refuse_type();
    }
}

void round_to(WireType type, std::span<float> values) {
    switch (type) {
        case WireType::float32: return;
        case WireType::float16:
        case WireType::bfloat16:
            with_codec(type, [=](auto codec) { encode_as<decltype(codec)>(values, nullptr); });
            return;
        case WireType::top_k: refuse_type();
    }
}

}  // namespace convoy
