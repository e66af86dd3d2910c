#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace convoy {

/// The number of hosts that an emulated network has addresses for.
inline constexpr std::int64_t most_hosts = 250;

/// The limits of one emulated host. Absent: no limit.
struct HostSpec {
    /// Bandwidth of the host's link in each direction, in 10^6 bits a second.
    std::optional<double> link_mbit = {};
    std::optional<double> cpu = {};  ///< processor time of all nodes of the host together, in cores
    std::optional<std::int64_t> memory_mb = {};  ///< memory of all nodes of the host together, in 10^6 bytes
    bool operator==(const HostSpec&) const = default;
};

/// The hosts that this machine emulates for the nodes of a run. Each has a link of its own, and its share of
/// processor and memory.
struct ClusterSpec {
    /// Absent: one for each node. Hosts beyond the number of nodes are for servers.
    std::optional<std::int64_t> hosts = {};
    std::optional<double> link_mbit = {};  ///< limit of each host without its own; also cpu and memory_mb
    std::optional<double> cpu = {};
    std::optional<std::int64_t> memory_mb = {};
    /// Empty if all hosts have the same limits; else one for each of `hosts`, with the host's own limits.
    std::vector<HostSpec> own_limits = {};
    bool operator==(const ClusterSpec&) const = default;

    [[nodiscard]] std::int64_t hosts_for(std::int64_t nodes) const { return hosts.value_or(nodes); }
    /// The limits of a host, from 0.
    [[nodiscard]] HostSpec host(std::int64_t index) const {
        if (own_limits.empty()) return {.link_mbit = link_mbit, .cpu = cpu, .memory_mb = memory_mb};
        const auto& own = own_limits.at(static_cast<std::size_t>(index));
        return {.link_mbit = own.link_mbit ? own.link_mbit : link_mbit,
                .cpu = own.cpu ? own.cpu : cpu,
                .memory_mb = own.memory_mb ? own.memory_mb : memory_mb};
    }
    /// The host, from 0, of a rank whose node names no host. Consecutive ranks share a host, and the numbers
    /// of ranks on two hosts differ by at most one.
    [[nodiscard]] std::int64_t host_of(std::int64_t rank, std::int64_t nodes) const {
        return rank * std::min(hosts_for(nodes), nodes) / nodes;
    }
};

}  // namespace convoy
