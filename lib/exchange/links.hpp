#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exchange/host_map.hpp"
#include "spec/all_reduce_spec.hpp"

namespace convoy {

/// The ranks that one rank has links to and from, each in ascending order, and how many connections it has to
/// each of them.
struct Links {
    std::vector<std::int64_t> send_to, receive_from;
    std::int64_t connections = 1;
    bool operator==(const Links&) const = default;
};

/// The links of a rank that sums over all ranks by any of these algorithms.
Links all_reduce_links(std::int64_t rank, const HostMap& hosts,
                       std::span<const AllReduceAlgorithm> algorithms, std::int64_t connections);

}  // namespace convoy
