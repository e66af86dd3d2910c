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

/// How a set of emulated hosts is called and wired, as values. Each host is a network namespace whose eth0
/// leads to a bridge; the bridge has a namespace of its own, so that no firewall of this machine stands
/// between hosts, and one link (called as the set) leads from there to the launcher.
struct HostPlan {
    std::string name;  ///< begins all names: convoy-PID, of the process that owns the hosts
    /// Of each host, each way; absent: no limit. As many as there are hosts, at most most_hosts.
    std::vector<std::optional<double>> link_mbit;
    boost::asio::ip::network_v4 network;  ///< of 24 bits

    [[nodiscard]] std::int64_t hosts() const { return std::ssize(link_mbit); }
    [[nodiscard]] std::string host_name(std::int64_t host) const;
    [[nodiscard]] std::string switch_name() const;
    [[nodiscard]] boost::asio::ip::address_v4 host_address(std::int64_t host) const;
    [[nodiscard]] boost::asio::ip::address_v4 launcher_address() const;
    bool operator==(const HostPlan&) const = default;
};

/// Networks that may be used, the same in each call; which one is free is for the caller to find out. They
/// are those that are set aside for benchmarks (RFC 2544, 198.18.0.0/15), which no network in use should
/// have, as 512 of 24 bits.
inline constexpr std::int64_t host_networks = 512;
boost::asio::ip::network_v4 host_network(std::int64_t index);

/// What makes the hosts' network, in order: iproute2's ip and tc.
std::vector<HostCommand> set_up_commands(const HostPlan& plan);

/// The name of a set of hosts, and which process owns one of that name; absent where it is not such a name.
/// The name of a host, of a switch, of a link and of a control group all tell their owner.
std::string host_set_name(std::int64_t owner);
std::optional<std::int64_t> owner_of(const std::string& name);

}  // namespace convoy
