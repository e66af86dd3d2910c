#pragma once

#include <boost/asio/ip/address.hpp>
#include <optional>
#include <string>

#include "cluster/world.hpp"

namespace convoy {

/// The address of this machine at which process 0 of a world listens: the given interface
/// (resolve_interface); else MASTER_ADDR; else loopback for a world on one host; else the address of
/// host_name. Throws ClusterError if that is no address of this machine, or if it is a loopback address and
/// the world is on several hosts.
boost::asio::ip::address address_for_world(const World& world, const std::optional<std::string>& interface,
                                           const std::string& host_name);

/// Whether an option like --listen names something that each host of a world has: an interface or a network
/// (eth0, 10.0.0.0/24), and not the address of one of them.
bool is_of_every_host(const std::string& interface);

/// The host name of this machine.
std::string own_host_name();

}  // namespace convoy
