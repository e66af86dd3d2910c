#include "net/host_map.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace convoy {

HostMap::HostMap(std::int64_t world_size) : host_of_rank_(static_cast<std::size_t>(world_size)) {
    std::iota(host_of_rank_.begin(), host_of_rank_.end(), std::int64_t{0});
}

HostMap::HostMap(std::vector<std::int64_t> host_of_rank) : host_of_rank_(std::move(host_of_rank)) {}

std::vector<std::int64_t> HostMap::neighbours(std::int64_t rank) const {
    const auto host = host_of_rank_.at(static_cast<std::size_t>(rank));
    std::vector<std::int64_t> found;
    for (std::int64_t other = 0; other < world_size(); ++other) {
        if (host_of_rank_[static_cast<std::size_t>(other)] == host) found.push_back(other);
    }
    return found;
}

std::vector<std::int64_t> HostMap::leaders() const {
    std::vector<std::int64_t> found;
    for (auto each = host_of_rank_.begin(); each != host_of_rank_.end(); ++each) {
        if (std::find(host_of_rank_.begin(), each, *each) == each)
            found.push_back(each - host_of_rank_.begin());
    }
    return found;
}

std::int64_t HostMap::most_on_a_host() const {
    std::int64_t most = 0;
    for (const auto host : host_of_rank_)
        most = std::max<std::int64_t>(most, std::ranges::count(host_of_rank_, host));
    return most;
}

}  // namespace convoy
