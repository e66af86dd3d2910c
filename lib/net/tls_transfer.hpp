#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <span>
#include <string>

#include "net/tls_session.hpp"

namespace convoy {

/// Shakes hands of TLS over a connected socket. What the session has to say is sent also if it fails. Returns
/// the error of the socket. Throws TlsError or CertificateError, which name the peer.
boost::asio::awaitable<boost::system::error_code> shake_hands(boost::asio::ip::tcp::socket& socket,
                                                              TlsSession& session, std::string peer);

/// Encrypts and sends the bytes of both spans. Returns the error of the socket; connection_aborted if the
/// session is over.
boost::asio::awaitable<boost::system::error_code> send_encrypted(boost::asio::ip::tcp::socket& socket,
                                                                 TlsSession& session,
                                                                 std::span<const std::byte> first,
                                                                 std::span<const std::byte> second);
boost::asio::awaitable<boost::system::error_code> send_encrypted(
    boost::asio::generic::stream_protocol::socket& socket, TlsSession& session,
    std::span<const std::byte> first, std::span<const std::byte> second);

/// Receives and decrypts bytes until `into` is full. Returns the error of the socket; the end of the session
/// is the end of the stream. Throws TlsError, which names no peer.
boost::asio::awaitable<boost::system::error_code> receive_decrypted(boost::asio::ip::tcp::socket& socket,
                                                                    TlsSession& session,
                                                                    std::span<std::byte> into);
boost::asio::awaitable<boost::system::error_code> receive_decrypted(
    boost::asio::generic::stream_protocol::socket& socket, TlsSession& session, std::span<std::byte> into);

/// The same error with the name of the peer before its text.
[[noreturn]] void rethrow_with_peer(const TlsError& error, std::string_view peer);

}  // namespace convoy
