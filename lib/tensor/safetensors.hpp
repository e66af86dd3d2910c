#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tensor/shape.hpp"

/// Reader and writer of the safetensors format, which lib/tensor/SAFETENSORS.md describes.
namespace convoy {

namespace safetensors {
inline constexpr std::size_t length_bytes = 8;     ///< of the header's length in front
inline constexpr std::size_t alignment_bytes = 8;  ///< of the data, by spaces after the header
inline constexpr std::uint64_t most_header_bytes = std::uint64_t{64} << 20U;
inline constexpr std::size_t most_axes = 16;
inline constexpr std::uint64_t most_elements_beside_0 =
    1U << 31U;  ///< product of the other extents, where one is 0
inline constexpr std::size_t longest_name = 1024;
inline constexpr auto metadata_key = "__metadata__";
}  // namespace safetensors

/// A tensor apart from any back-end: its values in row-major order, shape.elements() of them.
struct NamedTensor {
    std::string name;
    Shape shape;
    std::vector<float> values;
    bool operator==(const NamedTensor&) const = default;
};

/// The bytes of a safetensors file with these tensors as F32, in this order; the same arguments give the same
/// bytes. Throws InternalError where two tensors have one name, or a shape does not fit its values.
std::vector<std::byte> encode_safetensors(std::span<const NamedTensor> tensors,
                                          const std::map<std::string, std::string>& metadata = {});

/// The tensors (F32 or F64) of a safetensors file, in the order of their data. source names the file in
/// errors. Throws DataError, with one line, for bytes that are not such a file as a whole.
std::vector<NamedTensor> decode_safetensors(std::span<const std::byte> bytes, const std::string& source);

}  // namespace convoy
