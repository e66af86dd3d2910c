#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tensor/shape.hpp"

/// Reader and writer of the safetensors format, which lib/tensor/SAFETENSORS.md describes.
namespace convoy {

namespace safetensors {
inline constexpr std::size_t length_bytes = 8;  ///< bytes of the header's length, at the start of the file
/// Alignment of the data; spaces fill the end of the header.
inline constexpr std::size_t alignment_bytes = 8;
inline constexpr std::uint64_t most_header_bytes = std::uint64_t{64} << 20U;
inline constexpr std::size_t most_axes = 16;
/// The largest product of the other extents, if an extent is 0.
inline constexpr std::uint64_t most_elements_beside_0 = 1U << 31U;
inline constexpr std::size_t longest_name = 1024;
inline constexpr auto metadata_key = "__metadata__";
}  // namespace safetensors

/// A tensor outside of a back-end: shape.elements() values in row-major order.
struct NamedTensor {
    std::string name;
    Shape shape;
    std::vector<float> values;
    bool operator==(const NamedTensor&) const = default;
};

/// A tensor without its values.
struct NamedShape {
    std::string name;
    Shape shape;
};

/// Writes the values of the tensor at a position of a list, as floats, into `room`, which they fill.
using PutValues = std::function<void(std::size_t position, std::span<std::byte> room)>;

/// Copies values into the room of a PutValues. Throws InternalError if they do not fill it.
void put_floats(std::span<const float> values, std::span<std::byte> room);

/// The bytes of a safetensors file with these tensors as F32, in this order. The same arguments give the same
/// bytes. Throws InternalError if two tensors have the same name, or if a shape does not fit its values.
std::vector<std::byte> encode_safetensors(std::span<const NamedTensor> tensors,
                                          const std::map<std::string, std::string>& metadata = {});

/// The same for tensors whose values are elsewhere. `put` is called for one after the other, so no second
/// copy of all values is in memory.
std::vector<std::byte> encode_safetensors(std::span<const NamedShape> tensors, const PutValues& put,
                                          const std::map<std::string, std::string>& metadata = {});

/// The content of a safetensors file.
struct SafetensorsFile {
    std::vector<NamedTensor> tensors;             ///< in the order of their data
    std::map<std::string, std::string> metadata;  ///< text by key
};

/// Reads a safetensors file of F32 or F64 tensors. source: the name of the file in errors. Throws DataError,
/// with one line, if the bytes are not exactly such a file.
SafetensorsFile read_safetensors(std::span<const std::byte> bytes, const std::string& source);

/// The tensors of read_safetensors.
std::vector<NamedTensor> decode_safetensors(std::span<const std::byte> bytes, const std::string& source);

}  // namespace convoy
