#pragma once

#include <cstddef>
#include <span>

#include "net/control_frames.hpp"

namespace convoy {

/// A run, and the key by which its nodes know each other. The key never travels over a network.
struct RunSecret {
    RunId run{};
    Hmac key{};
};

/// A new random name of a run.
RunId random_run_id();

/// The key of a run's nodes, from the token of the run. A worker that knows the token computes the key
/// itself; only a worker that the launcher started is told it, by its own connection.
RunSecret secret_of_run(std::span<const std::byte> token, const RunId& run);

/// The proofs of a handshake, with which each side shows that it knows the key. Each is the HMAC-SHA256 under
/// the key of all that both sides have said, so nobody can change a word of it on the way. Nonces are new for
/// each handshake, so a recorded proof is worthless. FRAMES.md has the bytes. binding: the name of the TLS
/// session (TlsSession::binding), empty without TLS. Somebody between the two who has a session with each has
/// two bindings, and can make no proof.
Hmac proof_of_connector(std::span<const std::byte> key, const Greeting& greeting, const Hello& hello,
                        std::span<const std::byte> binding = {});
Hmac proof_of_acceptor(std::span<const std::byte> key, const Greeting& greeting, const Hello& hello,
                       bool sealed, std::span<const std::byte> binding = {});

/// The keys of the frames behind a handshake, one for each direction.
struct SessionKeys {
    Hmac to_acceptor{}, to_connector{};
};
SessionKeys session_keys(std::span<const std::byte> key, const Greeting& greeting, const Hello& hello,
                         bool sealed);

}  // namespace convoy
