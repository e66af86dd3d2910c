#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/hmac.hpp"

namespace convoy {

/// The sizes of the payloads of a handshake, and the largest size of a failure notice.
inline constexpr std::size_t greeting_bytes = 56, hello_bytes = 104, answer_bytes = 40;
inline constexpr std::size_t failure_max_payload_bytes = 1 + 1024;

/// Names a run. It is no secret.
using RunId = std::array<std::byte, 16>;
/// Random bytes that no other handshake has.
using Nonce = std::array<std::byte, 32>;

/// The payload of a greeting frame: the first word of the side that listens.
struct Greeting {
    RunId run{};
    Nonce nonce{};
    bool tls = false;  ///< TLS begins behind the greeting
    bool operator==(const Greeting&) const = default;
};

enum class Purpose : std::uint8_t {
    join = 1,  ///< a worker joins at the launcher's door
    data = 2,  ///< a connection between two nodes
};

/// The payload of a hello frame: who connects, to whom, and the proof that the sender belongs to the run.
struct Hello {
    Purpose purpose = Purpose::data;
    bool wants_seal = false;  ///< the frames behind the handshake are to have seals, see FrameSeal
    /// The sender goes on under TLS only. If the greeting did not offer it, both refuse each other.
    bool wants_tls = false;
    /// In a join: 0, the rank that the worker wants or -1 for any, -1, and 0.
    std::int64_t world_size = 1, from_rank = 0, to_rank = 0;
    std::int64_t connection = 0;  ///< the number of the connection between the two ranks, counted from 0
    Nonce nonce{};
    Hmac proof{};
    bool operator==(const Hello&) const = default;
};

/// The payload of an answer frame: the proof of the side that listens.
struct Answer {
    bool sealed = false;  ///< whether the frames behind the handshake have seals
    Hmac proof{};         ///< all zeros: the hello's proof is wrong
    bool operator==(const Answer&) const = default;
};

std::array<std::byte, greeting_bytes> encode_greeting(const Greeting& greeting);
std::array<std::byte, hello_bytes> encode_hello(const Hello& hello);
std::array<std::byte, answer_bytes> encode_answer(const Answer& answer);

/// Throws a DataError that names `peer` if the payload is not a greeting.
Greeting decode_greeting(std::span<const std::byte, greeting_bytes> payload, std::string_view peer);
/// Throws a DataError that names `peer` if the payload is not a hello or its ranks are impossible.
Hello decode_hello(std::span<const std::byte, hello_bytes> payload, std::string_view peer);
/// Throws a DataError that names `peer` if the payload is not an answer.
Answer decode_answer(std::span<const std::byte, answer_bytes> payload, std::string_view peer);

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
