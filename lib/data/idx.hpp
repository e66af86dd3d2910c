#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/byte_source.hpp"
#include "tensor/shape.hpp"

namespace convoy {

/// The constants of the IDX format (IDX.md).
namespace idx {
constexpr std::uint8_t type_unsigned_byte = 0x08;
constexpr std::size_t magic_bytes = 4;                            ///< 0, 0, element type, rank
constexpr std::size_t extent_bytes = 4;                           ///< each extent, big-endian
constexpr std::uint64_t most_elements = std::uint64_t{1} << 32U;  ///< convoy's own limit: 4 GiB of bytes
constexpr std::size_t header_bytes(std::size_t rank) {
    return magic_bytes + rank * extent_bytes;
}
}  // namespace idx

/// The content of an IDX file of unsigned bytes. The last extent varies fastest.
struct IdxArray {
    Shape shape;
    std::vector<std::uint8_t> bytes;
};

/// Reads and checks an IDX header: magic, element type (unsigned byte), rank, and extents. Extents must be at
/// least 1 and fit the size of the source. Throws a DataError that names the source.
Shape read_idx_header(ByteSource& source, std::size_t rank);

/// Reads a whole IDX file of unsigned bytes and checks its exact length. Throws a DataError that names the
/// source.
IdxArray read_idx(ByteSource& source, std::size_t rank);

/// Throws a DataError that names label and source if a label is not in [0, classes).
void check_idx_labels(std::span<const std::uint8_t> labels, std::int64_t classes, const std::string& source);

/// The path folder/file, or folder/file.gz if the first does not exist. Throws a MissingFileError that names
/// the places where it looked.
std::filesystem::path find_idx_file(const std::filesystem::path& folder, const std::string& file);

}  // namespace convoy
