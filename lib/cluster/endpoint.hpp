#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <string>
#include <string_view>

namespace convoy {

/// As in "127.0.0.1:4444" or "[::1]:4444".
std::string endpoint_text(const boost::asio::ip::tcp::endpoint& endpoint);

/// The endpoint of such a text, whose host must be a numeric address. Throws DataError.
boost::asio::ip::tcp::endpoint parse_endpoint(std::string_view text);

struct HostPort {
    std::string host;
    std::string port;
};

/// What a user gave as HOST:PORT, brackets taken off. Throws UsageError.
HostPort split_host_port(std::string_view text);

}  // namespace convoy
