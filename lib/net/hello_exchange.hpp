#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <string>

#include "net/control_frames.hpp"

namespace convoy {

/// Sends a hello, with which both sides of a connection between two nodes begin. Returns the error of the
/// socket, if there is one.
boost::asio::awaitable<boost::system::error_code> send_hello(boost::asio::ip::tcp::socket& socket,
                                                             Hello hello);

/// Receives the hello of the other side. peer: names this side in errors. Throws ClusterError if the
/// connection ends before, DataError if the other side sends something else.
boost::asio::awaitable<Hello> receive_hello(boost::asio::ip::tcp::socket& socket, std::string peer);

}  // namespace convoy
