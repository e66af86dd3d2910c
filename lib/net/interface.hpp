#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <string_view>
#include <vector>

namespace convoy {

/// Finds an address of this machine. `interface` is the name of an interface ("eth0": its first IPv4 address,
/// or its first IPv6 address if it has no other), an address ("10.1.2.3"), or a network ("10.1.0.0/16": the
/// first address in it). "" means 127.0.0.1. The host name of the machine is not used, since it often
/// resolves to an address that peers cannot reach. Throws a ClusterError that lists the interfaces if none
/// matches.
boost::asio::ip::address resolve_interface(std::string_view interface);

/// The IPv4 networks of this machine's interfaces, also of interfaces that are down. Throws ClusterError if
/// they cannot be listed.
std::vector<boost::asio::ip::network_v4> networks_here();

}  // namespace convoy
