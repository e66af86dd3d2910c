#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exchange/host_map.hpp"
#include "spec/all_reduce_spec.hpp"

namespace convoy {

/// The ranks to which and from which one rank has links, each list in ascending order. `connections` is the
/// number of connections to each of these ranks.
struct Links {
    std::vector<std::int64_t> send_to, receive_from;
    std::int64_t connections = 1;
    bool operator==(const Links&) const = default;
};

/// The links of a rank for sums over all ranks with any of these algorithms.
Links all_reduce_links(std::int64_t rank, const HostMap& hosts,
                       std::span<const AllReduceAlgorithm> algorithms, std::int64_t connections);

}  // namespace convoy
