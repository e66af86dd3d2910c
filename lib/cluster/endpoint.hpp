#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
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

struct ListenAddress {
    std::string address;     ///< see resolve_interface
    std::uint16_t port = 0;  ///< 0: any free one
};

/// What a user gave as ADDRESS[:PORT], as in 10.0.0.1, 10.0.0.1:4444, [fe80::1]:4444 or eth0:0. Throws
/// UsageError.
ListenAddress split_listen_address(std::string_view text);

/// What a user gave as HOST:PORT, brackets taken off. Throws UsageError.
HostPort split_host_port(std::string_view text);

}  // namespace convoy
