#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <optional>
#include <string>

#include "net/channel.hpp"
#include "net/frame_seal.hpp"
#include "net/tls_session.hpp"

namespace convoy {

/// Makes a channel over a connected socket, and sets the socket to non-blocking and TCP_NODELAY.
/// send_buffer_bytes: the bytes that the kernel takes before a write waits. 0: the kernel chooses the size
/// and lets it grow, also beyond the largest size that a program may set. keys: of the frames' seals; absent:
/// frames have none. tls: the session that encrypts all bytes; null: none. Throws NodeLostError if the
/// connection is already lost. Under TLS, reading throws DataError if bytes were changed on their way.
std::unique_ptr<Channel> make_tcp_channel(boost::asio::ip::tcp::socket socket, std::string peer,
                                          int send_buffer_bytes = 0, const std::optional<SealKeys>& keys = {},
                                          std::unique_ptr<TlsSession> tls = nullptr);

}  // namespace convoy
