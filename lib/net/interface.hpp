#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <string_view>
#include <vector>

namespace convoy {

/// The address of this machine that a user means: an interface's name ("eth0": its first IPv4 address, or
/// IPv6 where it has no other), an address ("10.1.2.3"), or a network ("10.1.0.0/16": the first address
/// within it); "" is 127.0.0.1. The machine's host name is never asked, as it often resolves to what peers
/// cannot reach. Throws ClusterError that lists the interfaces where nothing here matches.
boost::asio::ip::address resolve_interface(std::string_view interface);

/// The IPv4 networks of this machine's interfaces, up or not. Throws ClusterError where they cannot be
/// listed.
std::vector<boost::asio::ip::network_v4> networks_here();

}  // namespace convoy
