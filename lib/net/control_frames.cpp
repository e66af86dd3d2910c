#include "net/control_frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace convoy {
namespace {

constexpr std::size_t hello_fixed_bytes = 32;

std::int64_t read_int64(std::span<const std::byte> bytes, std::size_t at) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(value); ++i)
        value |= std::to_integer<std::uint64_t>(bytes[at + i]) << (8U * i);
    return static_cast<std::int64_t>(value);
}

void append_text(std::vector<std::byte>& bytes, std::string_view text) {
    const auto raw = std::as_bytes(std::span(text));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
}

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::vector<std::byte> encode_hello(const Hello& hello) {
    if (hello.token.size() > hello_max_payload_bytes - hello_fixed_bytes) {
        throw InternalError("the run's token is longer than a hello frame holds");
    }
    std::vector<std::byte> bytes;
    for (const auto number : {hello.world_size, hello.from_rank, hello.to_rank, hello.connection}) {
        for (unsigned i = 0; i < sizeof(number); ++i) {
            bytes.push_back(static_cast<std::byte>(static_cast<std::uint64_t>(number) >> (8U * i)));
        }
    }
    append_text(bytes, hello.token);
    return bytes;
}

Hello decode_hello(std::span<const std::byte> payload, std::string_view peer) {
    if (payload.size() < hello_fixed_bytes || payload.size() > hello_max_payload_bytes) {
        throw DataError(
            fmt::format("{}: sent a hello of {} bytes; is it a convoy node?", peer, payload.size()));
    }
    Hello hello{.token = text_of(payload.subspan(hello_fixed_bytes)),
                .world_size = read_int64(payload, 0),
                .from_rank = read_int64(payload, 8),
                .to_rank = read_int64(payload, 16),
                .connection = read_int64(payload, 24)};
    const auto rank_fits = [&](std::int64_t rank) { return rank >= 0 && rank < hello.world_size; };
    if (!rank_fits(hello.from_rank) || !rank_fits(hello.to_rank) || hello.connection < 0) {
        throw DataError(
            fmt::format("{}: sent a hello from node {} to node {} of {}, connection {}; is it a convoy node?",
                        peer, hello.from_rank, hello.to_rank, hello.world_size, hello.connection));
    }
    return hello;
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
