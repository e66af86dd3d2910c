#include "cluster/simulated_members.hpp"

#include <algorithm>
#include <utility>

namespace {

constexpr int most_times_in_vain = 3;

}  // namespace

SimulatedMembers::SimulatedMembers(std::size_t nodes) {
    for (std::size_t i = 0; i < nodes; ++i)
        by_rank_.push_back({.worker = i, .place = static_cast<std::int64_t>(i)});
}

std::vector<std::size_t> SimulatedMembers::workers() const {
    std::vector<std::size_t> workers;
    for (const auto& member : by_rank_) workers.push_back(member.worker);
    return workers;
}

std::optional<std::int64_t> SimulatedMembers::rank_of(std::size_t worker) const {
    const auto found = std::ranges::find(by_rank_, worker, &Member::worker);
    return found == by_rank_.end() ? std::nullopt : std::optional(found - by_rank_.begin());
}

bool SimulatedMembers::go_on_in_vain() const {
    return times_in_vain_ >= most_times_in_vain;
}

bool SimulatedMembers::waits(std::size_t worker) const {
    return std::ranges::find(waiting_, worker, &Member::worker) != waiting_.end();
}

std::vector<SimulatedMembers::Member> SimulatedMembers::take_waiting() {
    return std::exchange(waiting_, {});
}

std::vector<SimulatedMembers::Member> SimulatedMembers::regroup(const convoy::Regrouping& regrouping,
                                                                std::span<const Member> joining) {
    std::vector<Member> next(joining.begin(), joining.end()), gone;
    for (std::int64_t rank = 0; rank < count(); ++rank) {
        const bool stays = std::ranges::find(regrouping.ranks, rank) != regrouping.ranks.end();
        (stays ? next : gone).push_back(by_rank_.at(static_cast<std::size_t>(rank)));
    }
    std::ranges::sort(next, {}, &Member::place);
    by_rank_ = std::move(next);
    times_in_vain_ = !regrouping.in_vain ? 0 : from_step_ == regrouping.step ? times_in_vain_ + 1 : 1;
    from_step_ = regrouping.step;
    ++generation_;
    return gone;
}
