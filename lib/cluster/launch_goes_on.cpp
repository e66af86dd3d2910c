// A launch that goes on without nodes that were lost.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/launch.hpp"
#include "spec/surviving_nodes.hpp"

namespace convoy {

bool Launch::go_on() {
    if (!membership_.regrouping()) return false;
    regrouping_ = *membership_.regrouping();
    std::vector<OwnProcess> processes;
    std::vector<Seat> seats;
    for (const auto& member : membership_.members()) {
        const auto rank = static_cast<std::size_t>(member.info.rank);
        if (member.lost) {
            warnings_.push_back(fmt::format(
                "{} was lost, and the other nodes went on after step {}; the tables lack its last "
                "steps, and sums of that epoch lack its examples",
                member.label(), regrouping_.step));
            continue;
        }
        processes.push_back(processes_[rank]);
        processes.back().connection = member.connection.value();
        seats.push_back(seats_[rank]);
    }
    processes_ = std::move(processes);
    seats_ = std::move(seats);
    spec_ = spec_of_survivors(spec_, regrouping_.ranks);
    run_ = random_run_id();
    ++generation_;
    harvest_.go_on_with(seats_.size());
    membership_ = Membership(membership_options());
    for (const auto rank : regrouping_.behind)
        observer_.on_detail(fmt::format("node {} was a step behind, and takes the state of another", rank));
    observer_.on_goes_on({.generation = generation_, .nodes = std::ssize(seats_), .step = regrouping_.step});
    try {
        carry_out(membership_.begin(Clock::now()));
    } catch (...) {
        note_bug();
    }
    return true;
}

std::optional<std::int64_t> Launch::rank_of(std::int64_t number) const {
    const auto found = std::ranges::find(processes_, number, &OwnProcess::number);
    return found == processes_.end() ? std::nullopt : std::optional(found - processes_.begin());
}

/// A worker knows the rank for which it was started.
void Launch::hear(MembershipEvent event) {
    auto* hello = std::get_if<event::HelloCame>(&event);
    if (hello != nullptr && generation_ > 0 && hello->hello.rank)
        hello->hello.rank = rank_of(*hello->hello.rank);
    deliver(std::move(event));
}

}  // namespace convoy
