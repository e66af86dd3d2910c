#pragma once

#include <cstddef>
#include <span>

#include "net/frame.hpp"
#include "spec/all_reduce_spec.hpp"

namespace convoy {

/// How a float32 value travels: float16 is IEEE 754 binary16 (11 significant bits, up to 65504), bfloat16 the
/// upper half of a float32 (8 significant bits, same range). Both round to the nearest, ties to even.
/// None of these is for top_k, which is no type of a value (top_k.hpp): they throw InternalError.
ElementType element_type(WireType type);

/// Writes values as they travel, and rounds them in place to what will arrive, so that the sender goes on
/// with what its peers get. into has element_bytes for each.
void encode(WireType type, std::span<float> values, std::span<std::byte> into);
/// The same, but the values stay as they are.
void encode_copy(WireType type, std::span<const float> values, std::span<std::byte> into);
/// Adds what arrived to values, or replaces them by it.
void decode_add(WireType type, std::span<const std::byte> arrived, std::span<float> values);
void decode(WireType type, std::span<const std::byte> arrived, std::span<float> values);
/// Rounds values to what can travel.
void round_to(WireType type, std::span<float> values);

}  // namespace convoy
