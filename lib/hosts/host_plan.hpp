#pragma once

#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace convoy {

/// A program and its arguments.
using HostCommand = std::vector<std::string>;

/// The names and the network of a set of emulated hosts, as a value. Each host is a network namespace whose
/// eth0 leads to a bridge. The bridge has a namespace of its own, so no firewall of this machine is between
/// hosts. One link leads from the bridge to the launcher; it has the name of the set.
struct HostPlan {
    std::string name;  ///< start of all names: convoy-PID, with the process that owns the hosts
    /// The bandwidth of each host in each direction; absent: no limit. One for each host, at most most_hosts.
    std::vector<std::optional<double>> link_mbit;
    boost::asio::ip::network_v4 network;  ///< a network of 24 bits

    [[nodiscard]] std::int64_t hosts() const { return std::ssize(link_mbit); }
    [[nodiscard]] std::string host_name(std::int64_t host) const;
    [[nodiscard]] std::string switch_name() const;
    [[nodiscard]] boost::asio::ip::address_v4 host_address(std::int64_t host) const;
    [[nodiscard]] boost::asio::ip::address_v4 launcher_address() const;
    bool operator==(const HostPlan&) const = default;
};

/// The networks that hosts may use, by index, and their number. The caller must find a free one. They are the
/// 512 networks of 24 bits in 198.18.0.0/15, which is reserved for benchmarks (RFC 2544), so other networks
/// should not use it.
inline constexpr std::int64_t host_networks = 512;
boost::asio::ip::network_v4 host_network(std::int64_t index);

/// The commands that make the hosts' network, in order: ip and tc of iproute2.
std::vector<HostCommand> set_up_commands(const HostPlan& plan);

/// host_set_name: the name of the set of hosts of a process. owner_of: the process of such a name; absent if
/// it is not such a name. owner_of works for names of hosts, switches, links and control groups.
std::string host_set_name(std::int64_t owner);
std::optional<std::int64_t> owner_of(const std::string& name);

}  // namespace convoy
