#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace convoy {

/// Something that a user should know, and what to do about it.
struct Finding {
    std::string cause, remedy;
    bool operator==(const Finding&) const = default;
};

/// The threads of a node that compute, and the emulated host (from 0) that it shares with others.
struct NodeThreads {
    std::int64_t rank = 0;
    int threads = 1;
    std::optional<std::int64_t> host = {};
    std::optional<double> host_cpu = {};  ///< the limit of that host, in cores
};

/// The cores that the nodes of one machine can keep busy: the sum of their threads, where those of an
/// emulated host count at most as the limit of the host.
double core_demand(std::span<const NodeThreads> nodes);

/// What to know if the nodes of one machine can keep more cores busy than there are. nodes: by rank.
std::optional<Finding> shared_cores(std::span<const NodeThreads> nodes, std::int64_t usable_cores);

}  // namespace convoy
