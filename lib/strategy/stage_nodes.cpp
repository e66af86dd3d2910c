#include "strategy/stage_nodes.hpp"

#include <algorithm>

namespace convoy {

std::vector<std::int64_t> StageNodes::ranks_of(std::size_t stage) const {
    std::vector<std::int64_t> ranks;
    for (auto rank = static_cast<std::int64_t>(stage); rank < spec_.world_size();
         rank += static_cast<std::int64_t>(stages()))
        ranks.push_back(rank);
    return ranks;
}

std::optional<double> StageNodes::room_of(std::size_t stage) const {
    std::optional<double> least;
    for (const auto rank : ranks_of(stage)) {
        const auto host = cluster_.nodes.at(static_cast<std::size_t>(rank)).host;
        const auto& memory = cluster_.hosts.at(static_cast<std::size_t>(host)).memory_bytes;
        if (!memory) continue;
        const auto room = static_cast<double>(*memory) /
                          static_cast<double>(std::ranges::count(cluster_.nodes, host, &NodeModel::host));
        least = std::min(least.value_or(room), room);
    }
    return least;
}

double StageNodes::link_seconds(std::size_t stage, double bytes) const {
    constexpr double bits = 8.0;
    const auto in_replica = static_cast<std::int64_t>(stages());
    double longest = 0.0;
    for (const auto rank : ranks_of(stage)) {
        for (const auto other : {rank - 1, rank + 1}) {
            if (other < 0 || other >= spec_.world_size() || other / in_replica != rank / in_replica) continue;
            const auto rate = link_between(cluster_, rank, other).bits_per_s;
            if (rate) longest = std::max(longest, bytes * bits / *rate);
        }
    }
    return longest;
}

}  // namespace convoy
