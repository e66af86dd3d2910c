#include "net/frame.hpp"

#include <fmt/format.h>

#include <type_traits>

#include "base/error.hpp"

namespace convoy {
namespace {

// Byte positions of the fields; little-endian throughout.
constexpr std::size_t magic_at = 0, version_at = 4, kind_at = 6, type_at = 7, operation_at = 8,
                      reserved_at = 9, group_at = 10, step_at = 12, sequence_at = 16, count_at = 24,
                      first_at = 32, payload_at = 40;

template <typename Integer>
void put(FrameHeaderBytes& bytes, std::size_t at, Integer value) {
    for (std::size_t i = 0; i < sizeof(Integer); ++i) {
        bytes.at(at + i) = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8U * i));
    }
}

template <typename Integer>
Integer get(std::span<const std::byte, frame_header_bytes> bytes, std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(Integer); ++i) {
        value |= std::to_integer<std::uint64_t>(bytes[at + i]) << (8U * i);
    }
    return static_cast<Integer>(value);
}

[[noreturn]] void refuse_frame(std::string_view peer, std::string_view what) {
    throw DataError(fmt::format("{}: sent a frame {}; is it a convoy node?", peer, what));
}

void check_exchange_fields(const FrameHeader& header, std::string_view peer) {
    const auto size = element_bytes(header.type);
    if (size == 0) refuse_frame(peer, "without an element type");
    if (header.operation == ExchangeOperation::none) refuse_frame(peer, "without an operation");
    if (header.element_count > frame_max_elements) refuse_frame(peer, "with too many elements");
    if (header.payload_bytes % size != 0) refuse_frame(peer, "with part of an element");
    const auto elements = header.payload_bytes / size;
    if (header.first_element > header.element_count ||
        elements > header.element_count - header.first_element) {
        refuse_frame(peer, "that ends beyond its collective");
    }
}

void check_other_fields(const FrameHeader& header, std::string_view peer) {
    const FrameHeader plain{.kind = header.kind, .payload_bytes = header.payload_bytes};
    if (header != plain) refuse_frame(peer, "with fields that its kind does not use");
}

}  // namespace

std::size_t element_bytes(ElementType type) {
    switch (type) {
        case ElementType::none: return 0;
        case ElementType::float32: return 4;
        case ElementType::int64:
        case ElementType::sparse_float32: return 8;
        case ElementType::float16:
        case ElementType::bfloat16: return 2;
    }
    return 0;
}

std::string_view text(ElementType type) {
    switch (type) {
        case ElementType::none: return "none";
        case ElementType::float32: return "float32";
        case ElementType::int64: return "int64";
        case ElementType::float16: return "float16";
        case ElementType::bfloat16: return "bfloat16";
        case ElementType::sparse_float32: return "sparse float32";
    }
    return "unknown";
}

std::string_view text(ExchangeOperation operation) {
    switch (operation) {
        case ExchangeOperation::none: return "none";
        case ExchangeOperation::all_reduce_sum: return "all-reduce sum";
        case ExchangeOperation::send: return "send";
        case ExchangeOperation::push: return "push";
        case ExchangeOperation::pull: return "pull";
        case ExchangeOperation::broadcast: return "broadcast";
        case ExchangeOperation::gather: return "gather";
    }
    return "unknown";
}

FrameHeaderBytes encode_frame_header(const FrameHeader& header) {
    FrameHeaderBytes bytes{};
    put(bytes, magic_at, frame_magic);
    put(bytes, version_at, frame_version);
    put(bytes, kind_at, static_cast<std::uint8_t>(header.kind));
    put(bytes, type_at, static_cast<std::uint8_t>(header.type));
    put(bytes, operation_at, static_cast<std::uint8_t>(header.operation));
    put(bytes, group_at, header.group);
    put(bytes, step_at, header.step);
    put(bytes, sequence_at, header.sequence);
    put(bytes, count_at, header.element_count);
    put(bytes, first_at, header.first_element);
    put(bytes, payload_at, header.payload_bytes);
    return bytes;
}

FrameHeader decode_frame_header(std::span<const std::byte, frame_header_bytes> bytes,
                                std::uint64_t max_payload_bytes, std::string_view peer) {
    if (get<std::uint32_t>(bytes, magic_at) != frame_magic) refuse_frame(peer, "that does not start as one");
    if (const auto version = get<std::uint16_t>(bytes, version_at); version != frame_version) {
        throw DisagreementError(
            fmt::format("{}: speaks frame version {}, this node {}; run the same convoy on all nodes", peer,
                        version, frame_version));
    }
    const auto kind = get<std::uint8_t>(bytes, kind_at);
    const auto type = get<std::uint8_t>(bytes, type_at);
    const auto operation = get<std::uint8_t>(bytes, operation_at);
    if (kind < 1 || kind > static_cast<std::uint8_t>(last_frame_kind)) refuse_frame(peer, "of unknown kind");
    if (type > static_cast<std::uint8_t>(ElementType::sparse_float32))
        refuse_frame(peer, "of unknown element type");
    if (operation > static_cast<std::uint8_t>(last_exchange_operation))
        refuse_frame(peer, "of unknown operation");
    if (bytes[reserved_at] != std::byte{0}) refuse_frame(peer, "with a reserved byte set");
    const FrameHeader header{.kind = static_cast<FrameKind>(kind),
                             .type = static_cast<ElementType>(type),
                             .operation = static_cast<ExchangeOperation>(operation),
                             .group = get<std::uint16_t>(bytes, group_at),
                             .step = get<std::uint32_t>(bytes, step_at),
                             .sequence = get<std::uint64_t>(bytes, sequence_at),
                             .element_count = get<std::uint64_t>(bytes, count_at),
                             .first_element = get<std::uint64_t>(bytes, first_at),
                             .payload_bytes = get<std::uint64_t>(bytes, payload_at)};
    if (header.payload_bytes > max_payload_bytes) {
        refuse_frame(peer, fmt::format("of {} bytes where at most {} are accepted", header.payload_bytes,
                                       max_payload_bytes));
    }
    if (header.kind == FrameKind::collective) {
        check_exchange_fields(header, peer);
    } else {
        check_other_fields(header, peer);
    }
    return header;
}

void check_same_exchange(const FrameHeader& found, const FrameHeader& expected, std::string_view peer) {
    const auto differ = [&](std::string_view field, const auto& theirs, const auto& ours) {
        if (theirs == ours) return;
        throw DisagreementError(
            fmt::format("{}: {} {} where this node has {}, in collective {}; all nodes must run "
                        "the same spec",
                        peer, field, theirs, ours, expected.sequence));
    };
    differ("frame kind", static_cast<int>(found.kind), static_cast<int>(expected.kind));
    differ("sequence number", found.sequence, expected.sequence);
    differ("operation", text(found.operation), text(expected.operation));
    differ("group", found.group, expected.group);
    differ("element type", text(found.type), text(expected.type));
    differ("element count", found.element_count, expected.element_count);
    differ("step", found.step, expected.step);
    differ("position", found.first_element, expected.first_element);
    differ("segment bytes", found.payload_bytes, expected.payload_bytes);
}

}  // namespace convoy
