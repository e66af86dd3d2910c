#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace convoy {

/// Everything that travels between nodes is a frame: this fixed header, then payload_bytes of payload.
/// FRAMES.md beside this file is the format's page. Versions of convoy with different numbers refuse each
/// other.
inline constexpr std::uint32_t frame_magic = 0x59564E43;  // "CNVY" in a dump
inline constexpr std::uint16_t frame_version = 2;
inline constexpr std::size_t frame_header_bytes = 48;
/// No collective has more elements than this; it keeps products of a header's fields from overflowing.
inline constexpr std::uint64_t frame_max_elements = std::uint64_t{1} << 40U;

enum class FrameKind : std::uint8_t {
    message = 1,     ///< control plane: a JSON value as CBOR
    hello = 2,       ///< who connects to whom, in which run
    collective = 3,  ///< a segment of a collective's data
    failure = 4,     ///< the sender gives up, and why
};
enum class ElementType : std::uint8_t {
    none = 0,
    float32 = 1,
    int64 = 2,
    float16 = 3,
    bfloat16 = 4,
    sparse_float32 = 5,  ///< one entry of a sparse vector: index, then value
};
enum class CollectiveOperation : std::uint8_t {
    none = 0,
    all_reduce_sum = 1,
    send = 2,  ///< from one rank to another
    push = 3,  ///< to the root, which adds it
    pull = 4,  ///< from the root
    broadcast = 5,
    gather = 6,  ///< to the root, which puts it into its place
};

/// Bytes of one element in a payload; 0 for none.
std::size_t element_bytes(ElementType type);
std::string_view text(ElementType type);
std::string_view text(CollectiveOperation operation);

/// The header's fields. For collective frames all count; the other kinds leave all but payload_bytes 0.
struct FrameHeader {
    FrameKind kind = FrameKind::message;
    ElementType type = ElementType::none;
    CollectiveOperation operation = CollectiveOperation::none;
    std::uint16_t group = 0;          ///< a fingerprint of the ranks that take part; see FRAMES.md
    std::uint32_t step = 0;           ///< of the algorithm, counted from 0
    std::uint64_t sequence = 0;       ///< of the collective among those that used this link
    std::uint64_t element_count = 0;  ///< of the whole collective, on every rank
    std::uint64_t first_element = 0;  ///< where in the buffer this segment starts
    std::uint64_t payload_bytes = 0;
    bool operator==(const FrameHeader&) const = default;
};

using FrameHeaderBytes = std::array<std::byte, frame_header_bytes>;

FrameHeaderBytes encode_frame_header(const FrameHeader& header);

/// Reads and checks a header that came from peer (named in errors). Throws DataError where the bytes are no
/// header, or announce more than max_payload_bytes; DisagreementError where they are of another version.
FrameHeader decode_frame_header(std::span<const std::byte, frame_header_bytes> bytes,
                                std::uint64_t max_payload_bytes, std::string_view peer);

/// Throws DisagreementError that names peer and the first field in which what came differs from what this
/// node expected next.
void check_same_collective(const FrameHeader& found, const FrameHeader& expected, std::string_view peer);

}  // namespace convoy
