#include "cluster/node_processes.hpp"

#include <algorithm>
#include <utility>

namespace convoy {

NodeProcesses::NodeProcesses(std::size_t count) : by_rank_(count) {
    for (std::size_t rank = 0; rank < count; ++rank) by_rank_[rank].place = static_cast<std::int64_t>(rank);
}

std::optional<std::int64_t> NodeProcesses::rank_of(std::int64_t place) const {
    const auto found = std::ranges::find(by_rank_, place, &NodeProcess::place);
    return found == by_rank_.end() ? std::nullopt : std::optional(found - by_rank_.begin());
}

bool NodeProcesses::has_connection(ConnectionId connection) const {
    return std::ranges::count(by_rank_, connection, &NodeProcess::connection) > 0;
}

std::vector<std::int64_t> NodeProcesses::places() const {
    std::vector<std::int64_t> places;
    for (const auto& process : by_rank_) places.push_back(process.place);
    return places;
}

std::vector<std::int64_t> NodeProcesses::joined_places() const {
    std::vector<std::int64_t> places;
    for (const auto& process : by_rank_)
        if (process.joins) places.push_back(process.place);
    return places;
}

void NodeProcesses::go_on(const Regrouping& regrouping, std::span<const Member> members,
                          std::span<const Newcomers::Ready> newcomers) {
    std::vector<NodeProcess> next;
    for (std::size_t i = 0; i < regrouping.ranks.size(); ++i) {
        const auto rank = regrouping.ranks[i];
        auto process = at(rank);
        process.connection = members[static_cast<std::size_t>(rank)].any_connection().value();
        process.needs_state = std::ranges::count(regrouping.behind, rank) > 0;
        process.joins = false;
        process.step = regrouping.steps[i];
        next.push_back(process);
    }
    for (const auto& ready : newcomers)
        next.push_back({.place = ready.place,
                        .pid = ready.pid,
                        .connection = ready.connection,
                        .needs_state = true,
                        .joins = true});
    std::ranges::sort(next, {}, &NodeProcess::place);
    by_rank_ = std::move(next);
}

}  // namespace convoy
