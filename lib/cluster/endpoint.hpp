#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <string>
#include <string_view>

namespace convoy {

/// An endpoint as text: "127.0.0.1:4444" or "[::1]:4444".
std::string endpoint_text(const boost::asio::ip::tcp::endpoint& endpoint);

/// The same for a host that may be a name: "node7:4444" or "[::1]:4444".
std::string host_port_text(std::string_view host, std::uint16_t port);

/// Parses a text of endpoint_text; the host must be a numeric address. Throws DataError.
boost::asio::ip::tcp::endpoint parse_endpoint(std::string_view text);

struct HostPort {
    std::string host;
    std::string port;
};

struct ListenAddress {
    std::string address;     ///< see resolve_interface
    std::uint16_t port = 0;  ///< 0: any free one
};

/// Parses an option of the form ADDRESS[:PORT]: 10.0.0.1, 10.0.0.1:4444, [fe80::1]:4444 or eth0:0. Throws
/// UsageError.
ListenAddress split_listen_address(std::string_view text);

/// Parses an option of the form HOST:PORT, and removes brackets round the host. Throws UsageError.
HostPort split_host_port(std::string_view text);

}  // namespace convoy
