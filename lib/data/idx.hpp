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

/// The IDX format, as IDX.md beside this file describes it: all that is fixed about it.
namespace idx {
constexpr std::uint8_t type_unsigned_byte = 0x08;
constexpr std::size_t magic_bytes = 4;                            ///< 0, 0, element type, rank
constexpr std::size_t extent_bytes = 4;                           ///< each extent, big-endian
constexpr std::uint64_t most_elements = std::uint64_t{1} << 32U;  ///< our own bound: 4 GiB of bytes
constexpr std::size_t header_bytes(std::size_t rank) {
    return magic_bytes + rank * extent_bytes;
}
}  // namespace idx

/// The content of an IDX file of unsigned bytes; the last extent varies fastest.
struct IdxArray {
    Shape shape;
    std::vector<std::uint8_t> bytes;
};

/// Reads and checks an IDX header: magic, element type (unsigned byte), rank, and extents of at least 1 that
/// fit what the source can hold. Throws DataError that names the source.
Shape read_idx_header(ByteSource& source, std::size_t rank);

/// Reads a whole IDX file of unsigned bytes and checks its exact length. Throws DataError that names the
/// source.
IdxArray read_idx(ByteSource& source, std::size_t rank);

/// Throws DataError where a label is not in [0, classes): says which, and in which source.
void check_idx_labels(std::span<const std::uint8_t> labels, std::int64_t classes, const std::string& source);

/// folder/file, or folder/file.gz where the first is not there. Throws MissingFileError that says where it
/// looked.
std::filesystem::path find_idx_file(const std::filesystem::path& folder, const std::string& file);

/// Whether a file is read through gzip: its name ends in .gz.
bool is_gzip(const std::filesystem::path& file);

/// The bytes of an IDX file, inflated where is_gzip. Throws MissingFileError.
std::unique_ptr<ByteSource> open_idx_file(const std::filesystem::path& file);

}  // namespace convoy
