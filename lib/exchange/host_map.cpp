#include "exchange/host_map.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace convoy {
namespace {

std::vector<std::int64_t> each_its_own(std::int64_t world_size) {
    std::vector<std::int64_t> hosts(static_cast<std::size_t>(world_size));
    std::iota(hosts.begin(), hosts.end(), std::int64_t{0});
    return hosts;
}

}  // namespace

HostMap::HostMap(std::int64_t world_size) : HostMap(each_its_own(world_size)) {}

HostMap::HostMap(std::vector<std::int64_t> host_of_rank) : host_of_rank_(std::move(host_of_rank)) {
    std::map<std::int64_t, std::int64_t> ranks_on;
    for (std::size_t rank = 0; rank < host_of_rank_.size(); ++rank) {
        const auto here = ++ranks_on[host_of_rank_[rank]];
        if (here == 1) leaders_.push_back(static_cast<std::int64_t>(rank));
        most_on_a_host_ = std::max(most_on_a_host_, here);
    }
}

std::vector<std::int64_t> HostMap::neighbours(std::int64_t rank) const {
    std::vector<std::int64_t> found;
    for (std::int64_t other = 0; other < world_size(); ++other) {
        if (together(rank, other)) found.push_back(other);
    }
    return found;
}

}  // namespace convoy
