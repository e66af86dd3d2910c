#include "cluster/suspension.hpp"

#include <algorithm>
#include <utility>

namespace convoy {

namespace {

/// The share of a time that a job computes in it, at least, if it works. One that waits for a disk wakes now
/// and then.
constexpr double least_work = 0.01;

}  // namespace

void Suspension::begin(TimePoint now, Clock::duration patience, messages::Problem cause, Roster& roster) {
    begin_pause(now, patience, roster.members());
    cause_ = std::move(cause);
    for (const auto& member : roster.members())
        if (!member.lost && !member.suspended_after)
            roster.ask(
                action::Send{.connection = member.any_connection().value(), .message = told::Suspend{}});
}

void Suspension::begin_pause(TimePoint now, Clock::duration patience, std::span<const Member> members) {
    patience_ = patience;
    wait_longer(now, members);
}

bool Suspension::ends_patience(TimePoint now) {
    if (!due_ || now < *due_) return false;
    due_.reset();
    return true;
}

bool Suspension::works(const Member& member) const {
    const auto used_us = member.busy_us - busy_us_.at(static_cast<std::size_t>(member.info.rank));
    return used_us > least_work * Microseconds(patience_).count();
}

void Suspension::wait_longer(TimePoint now, std::span<const Member> members) {
    due_ = now + patience_;
    busy_us_.clear();
    for (const auto& member : members) busy_us_.push_back(member.busy_us);
}

void Suspension::lose(Member& member, Roster& roster) {
    member.lost = true;
    if (member.process == ProcessState::running)
        roster.ask(action::EndProcess{.rank = member.info.rank, .by_force = true});
    roster.close(member);
}

std::optional<messages::Problem> Suspension::in_vain(std::span<const Member> members, bool stops) const {
    const auto ends = [](const Member& member) {
        return !member.lost && (member.finished || (member.reported && !member.suspended_after));
    };
    const auto is_left = [](const Member& member) { return !member.lost && !member.seat.serves; };
    const auto is_missed = [](const Member& member) { return member.lost && member.seat.serves; };
    const bool goes_on = !stops && std::ranges::any_of(members, is_left) &&
                         std::ranges::none_of(members, is_missed) && std::ranges::none_of(members, ends);
    return goes_on ? std::nullopt : std::optional(cause_);
}

std::optional<Regrouping> Suspension::regroup(Roster& roster, bool node_joins) {
    Regrouping found;
    for (const auto& member : roster.members()) {
        if (member.lost ? member.is_here() : !member.suspended_after.has_value()) return std::nullopt;
        if (member.lost) continue;
        found.ranks.push_back(member.info.rank);
        found.steps.push_back(*member.suspended_after);
        found.step = std::max(found.step, *member.suspended_after);
    }
    if (apart_) return regroup_apart(roster, std::move(found));
    bool has_state = false;
    std::optional<std::int64_t> ahead;
    for (const auto& member : roster.members()) {
        const bool committed = member.suspended_after == found.step;
        has_state = has_state || (committed && member.gave_state);
        if (member.lost) continue;
        if (!committed) found.behind.push_back(member.info.rank);
        if (committed && !ahead) ahead = member.info.rank;
    }
    if ((found.behind.empty() && !node_joins) || has_state) return found;
    if (asked_ != ahead) {
        const auto giver = roster.member(ahead.value()).any_connection().value();
        roster.ask(action::Send{.connection = giver, .message = told::GiveState{}});
    }
    asked_ = ahead;
    return std::nullopt;
}

// Each goes on with its own state, so nobody needs that of another.
Regrouping Suspension::regroup_apart(const Roster& roster, Regrouping found) {
    for (const auto& member : roster.members())
        if (!member.lost && !member.seat.serves) found.step = std::min(found.step, *member.suspended_after);
    return found;
}

}  // namespace convoy
