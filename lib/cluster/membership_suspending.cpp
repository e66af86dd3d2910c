// How the membership machine lets nodes stand still, after a loss or for a node that joins.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/membership.hpp"

namespace convoy {

void Membership::note_loss(Member& member, Failure failure) {
    if (phase_ != Phase::suspending) return inquest_.note(std::move(failure));
    if (member.lost) return;
    untold_.reset();
    tell_lost(failure);
    if (member.seat.serves) suspension_.end_by({.code = failure.code, .message = words_of(failure)});
    suspension_.lose(member, roster_);
}

bool Membership::is_of_server(const Failure& failure) const {
    return failure.rank && members()[static_cast<std::size_t>(*failure.rank)].seat.serves;
}

std::string Membership::words_of(const Failure& failure) const {
    if (!shrinks_ || !is_of_server(failure)) return failure.message;
    return failure.message +
           "; a run goes on without a worker, and not without a server, which alone has its parameters";
}

bool Membership::may_go_on_without(const Failure& cause) const {
    const auto all = members();
    const bool have_state = begun_ || proceedings_.have_agreed();
    const bool is_loss = (cause.code == ExitCode::node_lost && cause.rank) || is_unclear(cause);
    return shrinks_ && is_loss && !is_of_server(cause) && have_state && !proceedings_.is_stopping() &&
           all.size() > 1 && std::ranges::none_of(all, &Member::finished);
}

// From here on, the inquest is about errors that are not losses. If it is not clear which node is lost, the
// nodes that do not stand still in time are lost; if all stand still, all go on.
void Membership::begin_suspension(const Failure& cause) {
    inquest_ = Inquest();
    phase_ = Phase::suspending;
    const bool unclear = is_unclear(cause);
    if (unclear) {
        untold_ = cause;
        roster_.ask(action::Notice{.line = cause.message + "; the nodes stand still between two steps"});
    }
    for (auto& member : roster_.members()) {
        const bool is_gone = !member.any_connection() || member.process == ProcessState::ended ||
                             heartbeat_.has_lost(member.silence);
        const bool has_no_state = member.seat.joins && !proceedings_.have_agreed();
        const bool is_cause = !unclear && member.info.rank == cause.rank;
        if (!is_cause && (is_gone || (has_no_state && unclear)))
            tell_lost({.code = ExitCode::node_lost,
                       .message = fmt::format("{} {}", member.label(),
                                              is_gone ? "was lost at the same time" : "could not join"),
                       .rank = member.info.rank});
        if (is_cause || is_gone || has_no_state) suspension_.lose(member, roster_);
    }
    suspension_.begin(clock_.now(), duration_of_deadline(), {.code = cause.code, .message = cause.message},
                      roster_);
    for (const auto& member : roster_.members())
        if (member.lost && member.seat.serves)
            suspension_.end_by(
                {.code = ExitCode::node_lost,
                 .message = words_of({.message = member.label() + " was lost", .rank = member.info.rank})});
}

// Nodes that stand still for a newcomer are at the same step. A loss ends this like any other work.
bool Membership::advance_to_newcomer() {
    const auto all = members();
    const bool is_overdue = proceedings_.is_pausing() && suspension_.ends_patience(clock_.now());
    if (!newcomer_waits_ || std::ranges::any_of(all, &Member::finished)) return false;
    if (!proceedings_.is_pausing()) {
        if (!proceedings_.have_agreed() || proceedings_.is_stopping()) return false;
        proceedings_.pause(roster_);
        // A node that waits for a peer gives up after one deadline.
        suspension_.begin_pause(clock_.now(), 2 * duration_of_deadline(), all);
        return false;
    }
    if (is_overdue) {
        lose_overdue();
        return inquest_.has_failures();
    }
    const auto stands_still = [](const Member& member) { return member.suspended_after.has_value(); };
    if (!std::ranges::all_of(all, stands_still)) return false;
    end_if_gathered();
    return false;
}

void Membership::end_if_gathered() {
    regrouping_ = suspension_.regroup(roster_, newcomer_waits_);
    if (!regrouping_) return;
    const bool same_members = regrouping_->ranks.size() == members().size() && !newcomer_waits_;
    if (same_members && regrouping_->step == waited_in_vain_at_) {
        regrouping_.reset();
        if (untold_) tell_lost(*untold_);
        return begin_departure(suspension_.cause());
    }
    regrouping_->in_vain = same_members;
    regrouping_->signals = proceedings_.interruptions();
    regrouping_->stop_wanted = proceedings_.is_stop_wanted();
    regrouping_->has_results = proceedings_.has_results();
    phase_ = Phase::over;
}

void Membership::lose_absent() {
    for (auto& member : roster_.members())
        if (!member.connection)
            inquest_.note(
                {.evidence = Evidence::cause,
                 .code = ExitCode::node_lost,
                 .message = fmt::format("{} did not go on within {} s", member.label(), time_to_join_s_),
                 .rank = member.info.rank});
}

void Membership::lose_overdue() {
    const auto late = [](const Member& member) { return !member.lost && !member.suspended_after; };
    for (auto& member : roster_.members()) {
        if (!late(member)) continue;
        if (suspension_.works(member)) continue;
        note_loss(member, {.evidence = Evidence::late,
                           .code = ExitCode::node_lost,
                           .message = fmt::format("{} did not stand still in time{}", member.label(),
                                                  member.position()),
                           .rank = member.info.rank});
    }
    if (std::ranges::any_of(members(), late)) suspension_.wait_longer(clock_.now(), members());
}

bool Membership::advance_from_suspending() {
    using messages::Problem;
    if (suspension_.ends_patience(clock_.now())) lose_overdue();
    std::optional<Problem> reason;
    if (launcher_failed_) {
        reason = Problem{.code = ExitCode::bug, .message = "the launcher failed"};
    } else if (proceedings_.interruptions() > 0) {
        reason = Problem{.code = ExitCode::interrupted,
                         .message = "interrupted while nodes went on without one that was lost"};
    } else if (inquest_.cause_is_known()) {
        const auto cause = inquest_.conclude(members(), deadline_s_);
        reason = Problem{.code = cause.code, .message = cause.message};
    } else {
        reason = suspension_.in_vain(members(), proceedings_.is_stopping());
    }
    if (reason) {
        if (untold_) tell_lost(*untold_);
        begin_departure(std::move(reason));
        return true;
    }
    end_if_gathered();
    return false;
}

}  // namespace convoy
