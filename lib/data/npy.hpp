#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "data/byte_source.hpp"
#include "tensor/shape.hpp"

namespace convoy {

/// The elements that convoy reads: bytes, integers and floats of so many bytes, little-endian.
enum class NpyType : std::uint8_t { u1, i4, i8, f4, f8 };

/// The NPY format, as NPY.md beside this file describes it: all that is fixed about it.
namespace npy {
struct TypeName {
    std::string_view descr;  ///< as NumPy writes it
    NpyType type;
    std::size_t bytes;  ///< of one element
};
constexpr std::array<TypeName, 5> types{{{"|u1", NpyType::u1, 1},
                                         {"<i4", NpyType::i4, 4},
                                         {"<i8", NpyType::i8, 8},
                                         {"<f4", NpyType::f4, 4},
                                         {"<f8", NpyType::f8, 8}}};
constexpr std::string_view magic{"\x93NUMPY", 6};
constexpr std::size_t version_bytes = 2;                          ///< major, minor
constexpr std::size_t short_length_bytes = 2;                     ///< of the header's length in version 1.0
constexpr std::size_t long_length_bytes = 4;                      ///< in versions 2.0 and 3.0
constexpr std::size_t most_header_bytes = std::size_t{1} << 16U;  ///< our own bound
constexpr std::size_t most_dimensions = 32;                       ///< NumPy's own
constexpr std::uint64_t most_elements = std::uint64_t{1} << 48U;  ///< our own bound
constexpr std::int64_t most_classes = 65536;                      ///< our own bound of labels
}  // namespace npy

/// What an NPY file says of itself.
struct NpyHeader {
    NpyType type = NpyType::u1;
    Shape shape;               ///< the last extent varies fastest
    std::uint64_t offset = 0;  ///< of the first element, in bytes
    [[nodiscard]] const npy::TypeName& type_name() const;
};

/// Reads and checks the header of an NPY file of version 1.0, 2.0 or 3.0: a type of `npy::types`, C order, at
/// least one dimension, extents of at least 1, and exactly as many bytes as they need in source (whose
/// most_bytes is its size). Throws DataError that names the source.
NpyHeader read_npy_header(ByteSource& source);

}  // namespace convoy
