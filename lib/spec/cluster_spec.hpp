#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace convoy {

/// As many as an emulated network has addresses for.
inline constexpr std::int64_t most_hosts = 250;

/// The limits of one emulated host; an absent limit is none.
struct HostSpec {
    std::optional<double> link_mbit = {};  ///< of the host's link, each way, in 10^6 bits a second
    std::optional<double> cpu = {};        ///< processor time of all nodes of the host together, in cores
    std::optional<std::int64_t> memory_mb = {};  ///< of all nodes of the host together, in 10^6 bytes
    bool operator==(const HostSpec&) const = default;
};

/// Hosts that this machine plays for the nodes of a run: each with a network of its own behind a link, and
/// its share of processor and memory.
struct ClusterSpec {
    std::optional<std::int64_t> hosts = {};  ///< absent: one for each node
    std::optional<double> link_mbit = {};    ///< of each host that says nothing else, as are the next two
    std::optional<double> cpu = {};
    std::optional<std::int64_t> memory_mb = {};
    /// Empty where all hosts are alike; else one for each of `hosts`, with the limits that are its own.
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
    /// The host, from 0, of a rank whose node names none: consecutive ranks share a host, and the numbers of
    /// ranks on two hosts differ by at most one.
    [[nodiscard]] std::int64_t host_of(std::int64_t rank, std::int64_t nodes) const {
        return rank * hosts_for(nodes) / nodes;
    }
};

}  // namespace convoy
