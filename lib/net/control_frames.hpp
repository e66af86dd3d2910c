#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace convoy {

/// Bounds of the payloads below.
inline constexpr std::size_t hello_max_payload_bytes = 32 + 256;
inline constexpr std::size_t failure_max_payload_bytes = 1 + 1024;

/// Who opens a link to whom: the payload of a hello frame.
struct Hello {
    std::string token;  ///< names the run; at most 256 bytes
    std::int64_t world_size = 1;
    std::int64_t from_rank = 0;
    std::int64_t to_rank = 0;
    std::int64_t connection = 0;  ///< which of those between the two, counted from 0
    bool operator==(const Hello&) const = default;
};

/// Throws InternalError where the token is too long.
std::vector<std::byte> encode_hello(const Hello& hello);
/// Throws DataError, naming peer, where the payload is no hello or its ranks are impossible.
Hello decode_hello(std::span<const std::byte> payload, std::string_view peer);

/// Why a node gives up: the payload of a failure frame.
struct FailureNotice {
    ExitCode code = ExitCode::bug;
    std::string reason;
    bool operator==(const FailureNotice&) const = default;
};

/// A reason that is too long is cut.
std::vector<std::byte> encode_failure(const FailureNotice& notice);
/// The reason as one printable line. Throws DataError, naming peer, where the payload is no failure notice.
FailureNotice decode_failure(std::span<const std::byte> payload, std::string_view peer);

/// Throws the notice as an error of the kind that its code stands for; what stands for none becomes
/// NodeLostError.
[[noreturn]] void throw_failure(const FailureNotice& notice);

}  // namespace convoy
