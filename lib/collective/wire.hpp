#pragma once

#include <cstddef>
#include <span>

#include "net/frame.hpp"
#include "spec/all_reduce_spec.hpp"

namespace convoy {

/// The type on the wire of a float32 value. float16 is IEEE 754 binary16 (11 significant bits, up to 65504).
/// bfloat16 is the upper half of a float32 (8 significant bits, the same range). Both round to the nearest
/// value, ties to even. All functions here throw InternalError for top_k, which is not a type of values (see
/// top_k.hpp).
ElementType element_type(WireType type);

/// Writes values in the type on the wire, and rounds them in place, so the sender continues with the same
/// values as its peers. into: element_bytes bytes for each value.
void encode(WireType type, std::span<float> values, std::span<std::byte> into);
/// Writes values in the type on the wire, and does not change them.
void encode_copy(WireType type, std::span<const float> values, std::span<std::byte> into);
/// Adds received values to `values` (decode_add), or replaces `values` by them (decode).
void decode_add(WireType type, std::span<const std::byte> arrived, std::span<float> values);
void decode(WireType type, std::span<const std::byte> arrived, std::span<float> values);
/// Rounds values in place to the type on the wire.
void round_to(WireType type, std::span<float> values);

}  // namespace convoy
