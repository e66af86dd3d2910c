#pragma once

#include <cstdint>
#include <optional>

namespace convoy {

/// As many as an emulated network has addresses for.
inline constexpr std::int64_t most_hosts = 250;

/// Hosts that this machine plays for the nodes of a run: each with a network of its own behind a link, and
/// its share of processor and memory. All hosts are alike; an absent limit is none.
struct ClusterSpec {
    std::optional<std::int64_t> hosts = {};  ///< absent: one for each node
    std::optional<double> link_mbit = {};    ///< of each host's link, each way, in 10^6 bits a second
    std::optional<double> cpu = {};          ///< processor time that a host's nodes have together, in cores
    std::optional<std::int64_t> memory_mb = {};  ///< what a host's nodes may use together, in 10^6 bytes
    bool operator==(const ClusterSpec&) const = default;

    [[nodiscard]] std::int64_t hosts_for(std::int64_t nodes) const { return hosts.value_or(nodes); }
    /// The host, from 0, that a rank is placed on: consecutive ranks share one, and the numbers of nodes on
    /// two hosts differ by at most one.
    [[nodiscard]] std::int64_t host_of(std::int64_t rank, std::int64_t nodes) const {
        return rank * hosts_for(nodes) / nodes;
    }
};

}  // namespace convoy
