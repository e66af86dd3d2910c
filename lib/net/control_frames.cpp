#include "net/control_frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace convoy {
namespace {

// Byte positions of the fields of a hello; an answer begins with the first of them, and then has its proof.
constexpr std::size_t purpose_at = 0, seal_at = 1, tls_at = 2, zeros_at = 3, hello_world_at = 8, from_at = 16,
                      to_at = 24, connection_at = 32, nonce_at = 40, proof_at = 72, answer_proof_at = 8;
constexpr std::size_t greeting_tls_at = sizeof(RunId) + sizeof(Nonce);

std::int64_t read_int64(std::span<const std::byte> bytes, std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(value); ++i)
        value |= std::to_integer<std::uint64_t>(bytes[at + i]) << (8U * i);
    return static_cast<std::int64_t>(value);
}

void write_int64(std::span<std::byte> bytes, std::size_t at, std::int64_t value) {
    for (std::size_t i = 0; i < sizeof(value); ++i)
        bytes[at + i] = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8U * i));
}

template <std::size_t Size>
std::array<std::byte, Size> read_bytes(std::span<const std::byte> bytes, std::size_t at) {
    std::array<std::byte, Size> found;
    std::ranges::copy(bytes.subspan(at, Size), found.begin());
    return found;
}

bool are_all_zero(std::span<const std::byte> bytes) {
    return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

/// A worker that joins has no place among the ranks yet.
bool is_possible(const Hello& hello) {
    if (hello.purpose == Purpose::join)
        return hello.world_size == 0 && hello.from_rank >= -1 && hello.to_rank == -1 && hello.connection == 0;
    const auto rank_fits = [&](std::int64_t rank) { return rank >= 0 && rank < hello.world_size; };
    return rank_fits(hello.from_rank) && rank_fits(hello.to_rank) && hello.connection >= 0;
}

void append_text(std::vector<std::byte>& bytes, std::string_view text) {
    const auto raw = std::as_bytes(std::span(text));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
}

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::array<std::byte, greeting_bytes> encode_greeting(const Greeting& greeting) {
    std::array<std::byte, greeting_bytes> bytes{};
    std::ranges::copy(greeting.nonce, std::ranges::copy(greeting.run, bytes.begin()).out);
    bytes[greeting_tls_at] = static_cast<std::byte>(greeting.tls);
    return bytes;
}

Greeting decode_greeting(std::span<const std::byte, greeting_bytes> payload, std::string_view peer) {
    const auto tls = std::to_integer<int>(payload[greeting_tls_at]);
    if (tls > 1 || !are_all_zero(payload.subspan(greeting_tls_at + 1)))
        throw DataError(fmt::format("{}: sent a greeting of another kind; is it a convoy node?", peer));
    return {.run = read_bytes<sizeof(RunId)>(payload, 0),
            .nonce = read_bytes<sizeof(Nonce)>(payload, sizeof(RunId)),
            .tls = tls == 1};
}

std::array<std::byte, hello_bytes> encode_hello(const Hello& hello) {
    std::array<std::byte, hello_bytes> bytes{};
    bytes[purpose_at] = static_cast<std::byte>(hello.purpose);
    bytes[seal_at] = static_cast<std::byte>(hello.wants_seal);
    bytes[tls_at] = static_cast<std::byte>(hello.wants_tls);
    write_int64(bytes, hello_world_at, hello.world_size);
    write_int64(bytes, from_at, hello.from_rank);
    write_int64(bytes, to_at, hello.to_rank);
    write_int64(bytes, connection_at, hello.connection);
    std::ranges::copy(hello.nonce, bytes.begin() + nonce_at);
    std::ranges::copy(hello.proof, bytes.begin() + proof_at);
    return bytes;
}

Hello decode_hello(std::span<const std::byte, hello_bytes> payload, std::string_view peer) {
    const auto purpose = std::to_integer<int>(payload[purpose_at]);
    const auto seal = std::to_integer<int>(payload[seal_at]);
    const auto tls = std::to_integer<int>(payload[tls_at]);
    const bool is_known =
        purpose == static_cast<int>(Purpose::join) || purpose == static_cast<int>(Purpose::data);
    if (!is_known || seal > 1 || tls > 1 ||
        !are_all_zero(payload.subspan(zeros_at, hello_world_at - zeros_at)))
        throw DataError(fmt::format("{}: sent a hello of another kind; is it a convoy node?", peer));
    const Hello hello{.purpose = static_cast<Purpose>(purpose),
                      .wants_seal = seal == 1,
                      .wants_tls = tls == 1,
                      .world_size = read_int64(payload, hello_world_at),
                      .from_rank = read_int64(payload, from_at),
                      .to_rank = read_int64(payload, to_at),
                      .connection = read_int64(payload, connection_at),
                      .nonce = read_bytes<sizeof(Nonce)>(payload, nonce_at),
                      .proof = read_bytes<sizeof(Hmac)>(payload, proof_at)};
    if (!is_possible(hello)) {
        throw DataError(
            fmt::format("{}: sent a hello from node {} to node {} of {}, connection {}; is it a convoy node?",
                        peer, hello.from_rank, hello.to_rank, hello.world_size, hello.connection));
    }
    return hello;
}

std::array<std::byte, answer_bytes> encode_answer(const Answer& answer) {
    std::array<std::byte, answer_bytes> bytes{};
    bytes[0] = static_cast<std::byte>(answer.sealed);
    std::ranges::copy(answer.proof, bytes.begin() + answer_proof_at);
    return bytes;
}

Answer decode_answer(std::span<const std::byte, answer_bytes> payload, std::string_view peer) {
    const auto sealed = std::to_integer<int>(payload[0]);
    if (sealed > 1 || !are_all_zero(payload.subspan(1, answer_proof_at - 1)))
        throw DataError(fmt::format("{}: sent an answer of another kind; is it a convoy node?", peer));
    return {.sealed = sealed == 1, .proof = read_bytes<sizeof(Hmac)>(payload, answer_proof_at)};
}

std::vector<std::byte> encode_failure(const FailureNotice& notice) {
    std::vector<std::byte> bytes;
    bytes.reserve(failure_max_payload_bytes);
    bytes.push_back(static_cast<std::byte>(notice.code));
    append_text(bytes, std::string_view(notice.reason).substr(0, failure_max_payload_bytes - 1));
    return bytes;
}

FailureNotice decode_failure(std::span<const std::byte> payload, std::string_view peer) {
    if (payload.empty() || payload.size() > failure_max_payload_bytes) {
        throw DataError(
            fmt::format("{}: sent a failure notice of {} bytes; is it a convoy node?", peer, payload.size()));
    }
    FailureNotice notice{.code = static_cast<ExitCode>(payload.front()),
                         .reason = text_of(payload.subspan(1))};
    std::replace_if(
        notice.reason.begin(), notice.reason.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return notice;
}

void throw_failure(const FailureNotice& notice) {
    switch (notice.code) {
        case ExitCode::data: throw DataError(notice.reason);
        case ExitCode::bug: throw InternalError(notice.reason);
        case ExitCode::deadline: throw DeadlineError(notice.reason);
        case ExitCode::disagreement: throw DisagreementError(notice.reason);
        case ExitCode::interrupted: throw InterruptedError(notice.reason);
        default: throw NodeLostError(notice.reason);
    }
}

}  // namespace convoy
