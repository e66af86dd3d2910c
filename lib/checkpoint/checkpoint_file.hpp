#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "job/checkpoint.hpp"

/// Reader and writer of the file that holds a checkpoint, which lib/checkpoint/CHECKPOINT.md describes.
namespace convoy {

namespace checkpoint_format {
inline constexpr std::string_view magic = "convoyCP";
inline constexpr std::uint32_t version = 4;
inline constexpr std::size_t header_bytes = 24;  ///< bytes before the lengths of the tensor files
inline constexpr std::size_t length_bytes = 8;   ///< bytes of each such length
inline constexpr std::size_t digest_bytes = 64;  ///< at the end: SHA-256 in hexadecimal
inline constexpr std::uint32_t most_nodes = 4096;
inline constexpr std::size_t most_bytes = std::size_t{1} << 36U;  ///< largest size of a file
}  // namespace checkpoint_format

/// The run that a checkpoint belongs to.
struct RunIdentity {
    std::string run_id;           ///< as run_id() gives it: 64 hexadecimal digits
    std::string training_id;      ///< as training_id() gives it
    std::string distribution_id;  ///< as distribution_id() gives it
    bool operator==(const RunIdentity&) const = default;
};

/// A checkpoint, with the identity of its run.
struct KeptCheckpoint {
    RunIdentity identity;
    RunCheckpoint checkpoint;
    bool operator==(const KeptCheckpoint&) const = default;
};

/// The bytes of a checkpoint's file. The same checkpoint gives the same bytes.
std::vector<std::byte> encode_checkpoint(const KeptCheckpoint& kept);

/// Reads the bytes of a checkpoint's file. source: the name of the file in errors. Throws DataError, with one
/// line, if the bytes are not exactly such a file: cut short, changed in any bit, or of another version of
/// the format.
KeptCheckpoint decode_checkpoint(std::span<const std::byte> bytes, const std::string& source);

}  // namespace convoy
