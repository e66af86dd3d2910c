#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "data/byte_source.hpp"
#include "tensor/shape.hpp"

namespace convoy {

/// The element types that convoy reads: unsigned bytes (u), integers (i) and floats (f) of this many bytes,
/// little-endian.
enum class NpyType : std::uint8_t { u1, i4, i8, f4, f8 };

/// The constants of the NPY format (NPY.md).
namespace npy {
struct TypeName {
    std::string_view descr;  ///< as NumPy writes it
    NpyType type;
    std::size_t bytes;  ///< bytes of one element
};
constexpr std::array<TypeName, 5> types{{{"|u1", NpyType::u1, 1},
                                         {"<i4", NpyType::i4, 4},
                                         {"<i8", NpyType::i8, 8},
                                         {"<f4", NpyType::f4, 4},
                                         {"<f8", NpyType::f8, 8}}};
constexpr std::string_view magic{"\x93NUMPY", 6};
constexpr std::size_t version_bytes = 2;       ///< major, minor
constexpr std::size_t short_length_bytes = 2;  ///< bytes of the header's length in version 1.0
constexpr std::size_t long_length_bytes = 4;   ///< in versions 2.0 and 3.0
constexpr std::size_t most_header_bytes = std::size_t{1} << 16U;  ///< our own bound
constexpr std::size_t most_dimensions = 32;                       ///< NumPy's own limit
constexpr std::uint64_t most_elements = std::uint64_t{1} << 48U;  ///< our own bound
constexpr std::int64_t most_classes = 65536;                      ///< convoy's own limit of labels
}  // namespace npy

/// The elements of an array in a file.
struct ArrayForm {
    NpyType type = NpyType::u1;
    Shape shape = {};  ///< the last extent varies fastest
    [[nodiscard]] const npy::TypeName& type_name() const;
};

/// The header of an NPY file.
struct NpyHeader : ArrayForm {
    std::uint64_t offset = 0;  ///< byte of the first element in the file
};

/// Reads and checks the header of an NPY file of version 1.0, 2.0 or 3.0. The type must be in `npy::types`,
/// in C order, with at least one dimension and extents of at least 1. The source must have exactly the bytes
/// that the elements need; its most_bytes must be its size. Throws a DataError that names the source.
NpyHeader read_npy_header(ByteSource& source);

}  // namespace convoy
