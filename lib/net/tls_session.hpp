#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "net/tls_context.hpp"

namespace convoy {

/// The other side does not speak TLS 1.3, or bytes were changed on their way. The text names no peer.
class TlsError : public DataError {
  public:
    using DataError::DataError;
};

/// One side refuses the certificate of the other. The text names no peer.
class CertificateError : public ClusterError {
  public:
    using ClusterError::ClusterError;
};

enum class TlsSide : std::uint8_t { connector, acceptor };

/// Names one TLS session, the same at both its ends and unlike that of any other (RFC 9266).
using TlsBinding = std::array<std::byte, 32>;

/// The bytes between a session and the network. OpenSSL reads and writes them.
struct TlsWire {
    std::vector<std::byte> out, in;
    std::vector<std::byte> late;  ///< what decrypt has to say: out may be on its way, and stays in place
    bool is_late = false;
    std::size_t out_begin = 0;             ///< the first byte that is not sent yet
    std::size_t in_begin = 0, in_end = 0;  ///< what has arrived, and OpenSSL has not read yet
};

/// One side of a TLS 1.3 session, from bytes to bytes. It reads and writes no socket: its owner sends
/// outgoing(), and puts what arrives into room(). Of one thread at a time.
class TlsSession {
  public:
    /// Bytes that one key encrypts. AES-GCM allows 2^24 records of 2^14 bytes (RFC 8446, 5.5).
    static constexpr std::uint64_t bytes_of_key = std::uint64_t{1} << 37U;
    /// A good number of bytes for one call of encrypt: enough for few system calls, and still in the cache
    /// when they are sent.
    static constexpr std::size_t piece_bytes = std::size_t{1} << 17U;

    /// host: the name or address that the acceptor's certificate must have, where the context checks
    /// certificates; not used by the acceptor. key_bytes: a new key comes after so many bytes.
    TlsSession(TlsContext context, TlsSide side, const std::string& host,
               std::uint64_t key_bytes = bytes_of_key);

    /// Goes on with the handshake as far as the bytes that have arrived allow. Returns whether it is done.
    /// There may be bytes to send afterwards, also if it throws: TlsError or CertificateError.
    bool shake_hands();
    /// Known once the hands are shaken.
    [[nodiscard]] TlsBinding binding() const;

    /// Encrypts the bytes of `first`, then those of `second`, behind outgoing(). Returns false if the session
    /// is over, since decrypt met bytes that were changed.
    [[nodiscard]] bool encrypt(std::span<const std::byte> first, std::span<const std::byte> second = {});
    /// The bytes to send. Valid until the next call of another function.
    [[nodiscard]] std::span<const std::byte> outgoing() const;
    void sent(std::size_t bytes);

    /// Where bytes that arrive go. Only when decrypt or shake_hands have used up what came before.
    [[nodiscard]] std::span<std::byte> room();
    void arrived(std::size_t bytes);
    /// Decrypts as many bytes into `into` as have arrived and fit, and returns their number. 0: more must
    /// arrive. Throws TlsError if they were changed.
    std::size_t decrypt(std::span<std::byte> into);
    /// Whether the other side has said that nothing more comes. Our own side never says so.
    [[nodiscard]] bool is_ended() const { return ended_; }

  private:
    struct Free {
        void operator()(void* ssl) const;
    };
    [[nodiscard]] bool write(std::span<const std::byte> plain);

    TlsContext context_;
    std::unique_ptr<TlsWire> wire_;  ///< at a place that stays
    std::unique_ptr<void, Free> ssl_;
    std::vector<std::byte> together_;  ///< the first record of two spans
    std::uint64_t key_bytes_, key_left_;
    bool ended_ = false;
};

}  // namespace convoy
