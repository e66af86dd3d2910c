#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "net/session.hpp"
#include "net/tls_session.hpp"

namespace convoy {

/// The other side of a new connection ended it without a word.
class HungUpError : public ClusterError {
  public:
    using ClusterError::ClusterError;
};

/// A handshake that succeeded.
struct Session {
    Greeting greeting;
    Hello hello;
    bool sealed = false;
    SessionKeys keys;
    std::unique_ptr<TlsSession> tls;  ///< what follows goes through it; null: nothing is encrypted
    [[nodiscard]] std::optional<TlsBinding> binding() const {
        return tls ? std::optional(tls->binding()) : std::nullopt;
    }
};

/// TLS at the side that connects. The side that listens decides whether there is TLS, and says so in its
/// greeting. The proofs cover the greeting, so nobody can change this word on the way.
struct ConnectorTls {
    std::optional<TlsContext> context = {};  ///< absent: refuses a side with TLS
    bool required = false;                   ///< refuses a side without TLS, and tells it so
    std::string host = {};                   ///< of the other side, for its certificate
};

// The handshake of a connection, with which both sides prove that they know a key. The side that listens
// greets, the other side says hello, and the first side answers. Nothing else is read, and each frame has a
// fixed length. With TLS, its handshake comes behind the greeting, and the proofs cover its session.
// FRAMES.md describes it. `peer` names the other side in errors. All throw HungUpError if the connection
// ends, DataError if the other side sends something else, CertificateError if one refuses the other's
// certificate, and DisagreementError if it has another version, or if only one side wants TLS.

/// The part of the side that listens, up to the hello of the other side, which has proved that it knows the
/// key. Throws ClusterError if it does not, and tells the other side so. tls: absent: no TLS.
boost::asio::awaitable<Session> hear_hello(boost::asio::ip::tcp::socket& socket, RunId run,
                                           std::span<const std::byte> key, std::string peer,
                                           std::optional<TlsContext> tls);
boost::asio::awaitable<Session> hear_hello(boost::asio::ip::tcp::socket& socket, RunId run,
                                           std::span<const std::byte> key, std::string peer);

/// The last part of the side that listens. It sets the session's keys. sealed: whether this side wants seals;
/// they are used if one side wants them and there is no TLS, which does their work.
boost::asio::awaitable<void> answer_hello(boost::asio::ip::tcp::socket& socket, Session& session,
                                          bool wants_seal, std::span<const std::byte> key, std::string peer);

/// The part of the side that connects. hello: all but its nonce and proof. Throws ClusterError if the two
/// sides do not know the same key.
boost::asio::awaitable<Session> say_hello(boost::asio::ip::tcp::socket& socket, Hello hello,
                                          std::span<const std::byte> key, std::string peer, ConnectorTls tls);
boost::asio::awaitable<Session> say_hello(boost::asio::ip::tcp::socket& socket, Hello hello,
                                          std::span<const std::byte> key, std::string peer);

/// Whether what goes from one address to the other can be changed by others than this machine. It cannot if
/// the two are equal, or are both of the loopback.
bool leaves_machine(const boost::asio::ip::address& here, const boost::asio::ip::address& there);
/// The same for the two ends of a connection; true if it has ended.
bool leaves_machine(const boost::asio::ip::tcp::socket& socket);

}  // namespace convoy
