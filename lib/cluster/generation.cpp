#include "cluster/generation.hpp"

#include <iterator>
#include <utility>

#include "cluster/seats.hpp"
#include "spec/spec_of_members.hpp"

namespace convoy {

Generation::Generation(const LaunchOptions& options)
    : options_(options),
      first_seats_(seats_of(options)),
      seats_(first_seats_),
      spec_(options.spec),
      processes_(seats_.size()) {}

void Generation::go_on(const Regrouping& regrouping, std::span<const Member> members,
                       std::span<const Newcomers::Ready> newcomers) {
    regrouping_ = regrouping;
    if (regrouping.in_vain) {
        in_vain_ = in_vain_at_ == regrouping.step ? in_vain_ + 1 : 1;
        in_vain_at_ = regrouping.step;
    }
    processes_.go_on(regrouping, members, newcomers);
    seats_.clear();
    for (const auto& process : processes_.all()) {
        seats_.push_back(first_seats_.at(static_cast<std::size_t>(process.place)));
        seats_.back().joins = process.joins;
    }
    spec_ = spec_of_members(options_.spec, processes_.places());
    run_ = random_run_id();
    ++number_;
}

MembershipOptions Generation::membership_options() const {
    return {.seats = seats_,
            .deadline_s = spec_.deadline_s,
            .join_deadline_s = options_.seconds_to_join(),
            .heartbeat_s = spec_.failures.heartbeat_s,
            .shrinks = spec_.failures.policy == FailurePolicy::shrink,
            .apart = is_apart(),
            .begun = number_ > 0,
            .waited_in_vain_at = in_vain_ >= spec_.failures.restarts ? in_vain_at_ : std::nullopt,
            .signals = regrouping_.signals,
            .stop_wanted = regrouping_.stop_wanted,
            .has_results = regrouping_.has_results,
            .is_encrypted = options_.tls.has_value()};
}

GoesOn Generation::going_on() const {
    return {.generation = number_,
            .nodes = std::ssize(seats_),
            .places = processes_.places(),
            .joined = processes_.joined_places(),
            .step = regrouping_.step,
            .apart = is_apart()};
}

messages::Assign Generation::assignment(const action::Assign& assign, std::vector<FaultSpec> faults) const {
    auto spec = spec_;
    spec.faults = {};
    return {.assignment = {.rank = assign.rank,
                           .world_size = std::ssize(seats_),
                           .spec = std::move(spec),
                           .data_folder = options_.data_folder,
                           .threads = assign.threads,
                           .layout_threads = assign.layout_threads,
                           .faults = std::move(faults),
                           .resume = resume_of(assign.rank),
                           .generation = number_,
                           .apart = going_apart()},
            .peers = assign.peers,
            .run = run_,
            .run_key = {},
            .tls = options_.tls,
            .always_seal = options_.always_seal};
}

std::optional<NodeCheckpoint> Generation::resume_of(std::int64_t rank) const {
    if (number_ > 0) return processes_.at(rank).needs_state ? state_ : std::nullopt;
    if (!options_.resume) return std::nullopt;
    auto checkpoint = options_.resume->nodes.at(static_cast<std::size_t>(rank));
    if (checkpoint.tensors.empty()) checkpoint.tensors = options_.resume->nodes.front().tensors;
    return checkpoint;
}

std::optional<GoingApart> Generation::going_apart() const {
    if (number_ == 0 || !is_apart()) return std::nullopt;
    GoingApart apart{.shares = options_.spec.world_size(), .ranks = {}};
    for (const auto& process : processes_.all())
        apart.ranks.push_back({.place = process.place, .step = process.step});
    return apart;
}

}  // namespace convoy
