#include "collective/link_queues.hpp"

#include <utility>

namespace convoy {

bool LinkQueues::add(Ticket ticket, std::vector<Lane> lanes) {
    Entry entry{std::move(lanes)};
    for (const auto& lane : entry.lanes) {
        auto& queue = queues_[lane];
        if (queue.empty()) ++entry.at_head_of;
        queue.push_back(ticket);
    }
    const bool first = entry.at_head_of == entry.lanes.size();
    entries_.emplace(ticket, std::move(entry));
    return first;
}

std::vector<Ticket> LinkQueues::remove(Ticket ticket) {
    std::set<Ticket> ready;
    const auto done = entries_.extract(ticket);
    for (const auto& lane : done.mapped().lanes) {
        auto& queue = queues_.at(lane);
        queue.pop_front();
        if (queue.empty()) continue;
        auto& next = entries_.at(queue.front());
        if (++next.at_head_of == next.lanes.size()) ready.insert(queue.front());
    }
    return {ready.begin(), ready.end()};
}

std::set<Ticket> LinkQueues::up_to(Ticket ticket) const {
    std::set<Ticket> found{ticket};
    std::vector<Ticket> unexplored{ticket};
    while (!unexplored.empty()) {
        const auto each = unexplored.back();
        unexplored.pop_back();
        for (const auto& lane : entries_.at(each).lanes) {
            for (const auto ahead : queues_.at(lane)) {
                if (ahead == each) break;
                if (found.insert(ahead).second) unexplored.push_back(ahead);
            }
        }
    }
    return found;
}

void LinkQueues::clear() {
    queues_.clear();
    entries_.clear();
}

}  // namespace convoy
