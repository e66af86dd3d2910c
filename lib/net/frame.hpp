#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace convoy {

/// Nodes send each other only frames: a fixed header, then payload_bytes bytes of payload. FRAMES.md
/// describes the format. Programs with different versions of the format refuse each other.
inline constexpr std::uint32_t frame_magic = 0x59564E43;  // "CNVY" in a dump
inline constexpr std::uint16_t frame_version = 4;
inline constexpr std::size_t frame_header_bytes = 48;
/// The largest number of elements of an exchange. With this limit, products of a header's fields cannot
/// overflow.
inline constexpr std::uint64_t frame_max_elements = std::uint64_t{1} << 40U;

enum class FrameKind : std::uint8_t {
    message = 1,     ///< a message between launcher and worker: a JSON value as CBOR
    hello = 2,       ///< the handshake: the two ends of a new connection, and a proof
    collective = 3,  ///< a segment of an exchange's data
    failure = 4,     ///< the reason why the sender gives up
    greeting = 5,    ///< the handshake: the first word of the side that listens
    answer = 6,      ///< the handshake: the proof of the side that listens
};
inline constexpr auto last_frame_kind = FrameKind::answer;
enum class ElementType : std::uint8_t {
    none = 0,
    float32 = 1,
    int64 = 2,
    float16 = 3,
    bfloat16 = 4,
    sparse_float32 = 5,  ///< one entry of a sparse vector: index, then value
};
enum class ExchangeOperation : std::uint8_t {
    none = 0,
    all_reduce_sum = 1,
    send = 2,  ///< from one rank to another
    push = 3,  ///< to the root, which adds it to its own
    pull = 4,  ///< from the root
    broadcast = 5,
    gather = 6,  ///< to the root, which stores it in its place
};
inline constexpr auto last_exchange_operation = ExchangeOperation::gather;

/// Bytes of one element in a payload; 0 for none.
std::size_t element_bytes(ElementType type);
std::string_view text(ElementType type);
std::string_view text(ExchangeOperation operation);

/// The fields of a header. Collective frames use all fields. In frames of other kinds, all fields except kind
/// and payload_bytes are 0.
struct FrameHeader {
    FrameKind kind = FrameKind::message;
    ElementType type = ElementType::none;
    ExchangeOperation operation = ExchangeOperation::none;
    std::uint16_t group = 0;          ///< a hash of the ranks that take part; see FRAMES.md
    std::uint32_t step = 0;           ///< step of the algorithm, counted from 0
    std::uint64_t sequence = 0;       ///< number of the exchange on this link, counted from 0
    std::uint64_t element_count = 0;  ///< elements of the whole exchange, on every rank
    std::uint64_t first_element = 0;  ///< first element of this segment in the exchange
    std::uint64_t payload_bytes = 0;
    bool operator==(const FrameHeader&) const = default;
};

using FrameHeaderBytes = std::array<std::byte, frame_header_bytes>;

FrameHeaderBytes encode_frame_header(const FrameHeader& header);

/// Reads and checks a header. peer: the name of the sender in errors. Throws DataError if the bytes are not a
/// header, or if the payload is larger than max_payload_bytes; DisagreementError if the header has another
/// version.
FrameHeader decode_frame_header(std::span<const std::byte, frame_header_bytes> bytes,
                                std::uint64_t max_payload_bytes, std::string_view peer);

/// Compares a received header with the header that this node expects next. Throws a DisagreementError that
/// names `peer` and the first field that differs.
void check_same_exchange(const FrameHeader& found, const FrameHeader& expected, std::string_view peer);

}  // namespace convoy
