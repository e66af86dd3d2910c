#pragma once

#include <boost/asio/ip/address.hpp>
#include <string_view>

namespace convoy {

/// The address of this machine that a user means: an interface's name ("eth0": its first IPv4 address, or
/// IPv6 where it has no other), an address ("10.1.2.3"), or a network ("10.1.0.0/16": the first address
/// within it); "" is 127.0.0.1. The machine's host name is never asked, as it often resolves to what peers
/// cannot reach. Throws ClusterError that lists the interfaces where nothing here matches.
boost::asio::ip::address resolve_interface(std::string_view interface);

}  // namespace convoy
