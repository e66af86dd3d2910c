#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace convoy {

/// The largest sizes of the payloads below.
inline constexpr std::size_t hello_max_payload_bytes = 32 + 256;
inline constexpr std::size_t failure_max_payload_bytes = 1 + 1024;

/// The payload of a hello frame: the two ends of a new link.
struct Hello {
    std::string token;  ///< names the run; at most 256 bytes
    std::int64_t world_size = 1;
    std::int64_t from_rank = 0;
    std::int64_t to_rank = 0;
    std::int64_t connection = 0;  ///< the number of the connection between the two ranks, counted from 0
    bool operator==(const Hello&) const = default;
};

/// Throws InternalError if the token is too long.
std::vector<std::byte> encode_hello(const Hello& hello);
/// Throws a DataError that names `peer` if the payload is not a hello or its ranks are impossible.
Hello decode_hello(std::span<const std::byte> payload, std::string_view peer);

/// The payload of a failure frame: the reason why a node gives up.
struct FailureNotice {
    ExitCode code = ExitCode::bug;
    std::string reason;
    bool operator==(const FailureNotice&) const = default;
};

/// It cuts a reason that is too long.
std::vector<std::byte> encode_failure(const FailureNotice& notice);
/// The reason becomes one printable line. Throws a DataError that names `peer` if the payload is not a
/// failure notice.
FailureNotice decode_failure(std::span<const std::byte> payload, std::string_view peer);

/// Throws the notice as the Error of its exit code. A code without an Error becomes a NodeLostError.
[[noreturn]] void throw_failure(const FailureNotice& notice);

}  // namespace convoy
