#include "net/waiting_room.hpp"

#include <algorithm>

namespace convoy {

std::optional<std::uint64_t> WaitingRoom::enter(std::uint64_t id, const std::string& address) {
    addresses_.emplace_hint(addresses_.end(), id, address);
    const bool crowd_of_address = ++counts_[address] > expected_ + most_of_address;
    if (!crowd_of_address && addresses_.size() <= expected_ + most) return std::nullopt;
    const auto oldest = std::ranges::find_if(
        addresses_, [&](const auto& each) { return !crowd_of_address || each.second == address; });
    const auto displaced = oldest->first;
    leave(displaced);
    return displaced;
}

void WaitingRoom::leave(std::uint64_t id) {
    const auto found = addresses_.find(id);
    if (found == addresses_.end()) return;
    const auto count = counts_.find(found->second);
    if (--count->second == 0) counts_.erase(count);
    addresses_.erase(found);
}

}  // namespace convoy
