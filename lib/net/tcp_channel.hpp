#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <string>

#include "net/channel.hpp"

namespace convoy {

/// A channel over a connected socket, which it makes non-blocking and undelayed (TCP_NODELAY).
/// send_buffer_bytes: how much the kernel takes before a write waits; 0 leaves it to the kernel, which lets
/// it grow as needed and beyond what a program may ask for. Throws NodeLostError where the socket is already
/// gone.
std::unique_ptr<Channel> make_tcp_channel(boost::asio::ip::tcp::socket socket, std::string peer,
                                          int send_buffer_bytes = 0);

}  // namespace convoy
