#include "cluster/proceedings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace convoy {

namespace {

std::size_t place_of(const Member& member) {
    return static_cast<std::size_t>(member.info.rank);
}

}  // namespace

struct Proceedings::Hearing {
    Proceedings& state;
    Member& member;
    Roster& roster;
    Inquest& inquest;
    TimePoint now;

    void operator()(said::Agree agree) const {
        const auto difference = state.agreement_.say(place_of(member), std::move(agree.fingerprints));
        if (!difference) {
            if (!state.agreement_.reached()) return;
            state.have_agreed_ = true;
            roster.send_all(told::Agreed{});
            roster.ask(action::TellAgreed{});
            return;
        }
        const auto [what, remedy] = words_of(difference->topic);
        inquest.note({.evidence = Evidence::cause,
                      .code = ExitCode::disagreement,
                      .message = fmt::format("{} and {} disagree on {} (fingerprints {:.12} and {:.12}); {}",
                                             roster.members()[difference->one].label(), member.label(), what,
                                             difference->of_one, difference->of_other, remedy)});
    }
    void operator()(const said::Pong& pong) const {
        member.busy_us = pong.busy_us;
        state.standstill_.look(place_of(member), pong.busy_us, now);
        if (!member.clock.answer(pong.number, pong.clock_us, now) || member.probes_left == 0) return;
        if (--member.probes_left > 0) return roster.ping(member, now);
        if (!member.first_clock) member.first_clock = member.clock.best();
    }
    void operator()(NodeProgress progress) const {
        state.standstill_.note_work();
        progress.rank = member.info.rank;
        member.progress = progress;
        roster.ask(action::ShowProgress{.progress = std::move(progress)});
    }
    void operator()(NodeRecords records) const {
        if (!records.steps.empty()) state.has_results_ = true;
        roster.ask(action::TakeRecords{.rank = member.info.rank, .records = std::move(records)});
    }
    void operator()(said::Weights weights) const {
        roster.ask(
            action::TakeWeights{.rank = member.info.rank, .safetensors = std::move(weights.safetensors)});
    }
    void operator()(NodeCheckpoint checkpoint) const {
        const auto step = state.checkpoints_.tell(place_of(member), checkpoint.step);
        roster.ask(action::TakeCheckpoint{.rank = member.info.rank, .checkpoint = std::move(checkpoint)});
        if (!step) return;
        state.is_keeping_ = true;
        roster.ask(action::KeepCheckpoint{.step = *step});
    }
    void operator()(const said::AtStep& at) const {
        if (state.pause_) {
            const auto last = state.pause_->answer(place_of(member), at.step);
            if (last) roster.send_all(told::PauseAfter{.step = *last});
            return;
        }
        const auto last = state.interruption_.answer(place_of(member), at.step);
        if (!last || state.nothing_begun()) return;
        roster.send_all(told::StopAfter{.step = *last});
        const bool by_user = state.interruptions() > 0;
        roster.ask(
            action::Notice{.line = fmt::format("{}: stops after step {}; {} the nodes at once",
                                               by_user ? "interrupted" : "records cannot be kept", *last,
                                               by_user ? "a second signal ends" : "two signals end")});
    }
    void operator()(const said::Suspended& suspended) const {
        member.suspended_after = suspended.step;
        const auto& problem = suspended.problem;
        if (!problem) return;
        inquest.note({.evidence = evidence_of_report(problem->code),
                      .code = problem->code,
                      .message = fmt::format("{}: {}", member.label(), problem->message)});
    }
    void operator()(said::State told) const {
        member.gave_state = told.checkpoint.step == member.suspended_after;
        roster.ask(action::TakeState{.rank = member.info.rank, .state = std::move(told.checkpoint)});
    }
    void operator()(const said::FaultComes& fault) const {
        roster.ask(action::TellFault{.rank = member.info.rank, .step = fault.step});
        roster.send(member, told::FaultNoted{});
    }
    void operator()(const said::Done& done) const {
        member.stopped = done.stopped;
        member.finished = true;
    }
    void operator()(const said::Failed& failed) const {
        member.reported = true;
        const auto& problem = failed.problem;
        if (member.seat.joins && !state.have_agreed_) {  // the others can go on without it
            return inquest.note({.evidence = Evidence::cause,
                                 .code = ExitCode::node_lost,
                                 .message = fmt::format("{}: {}", member.label(), problem.message),
                                 .rank = member.info.rank});
        }
        inquest.note({.evidence = evidence_of_report(problem.code),
                      .code = problem.code,
                      .message = fmt::format("{}: {}", member.label(), problem.message)});
    }
    void operator()(const said::Unknown& unknown) const {
        throw DisagreementError(fmt::format("sent an unknown message '{}'", unknown.type));
    }
};

void Proceedings::pause(Roster& roster) {
    pause_.emplace(roster.members().size());
    roster.send_all(told::Pause{});
}

void Proceedings::hear(Member& member, MemberMessage message, Roster& roster, Inquest& inquest,
                       TimePoint now) {
    member.heard_at = now;
    member.silence = {};
    member.owes_answer = false;
    const Hearing hearing{*this, member, roster, inquest, now};
    std::visit([&hearing](auto& content) { hearing(std::move(content)); }, message);
}

void Proceedings::check_work(Roster& roster, Inquest& inquest, int most_beats, double deadline_s) {
    const auto note = [&](const std::string& message) {
        inquest.note({.evidence = Evidence::late, .code = ExitCode::deadline, .message = message});
    };
    const auto note_late = [&](const Member& member) {
        const auto message = fmt::format(
            "{} was not ready to train within {} s after the first node; see what slows it, or "
            "raise deadline_s",
            member.label(), deadline_s);
        if (!member.seat.joins) return note(message);
        inquest.note({.evidence = Evidence::cause,  // the others can go on without it
                      .code = ExitCode::node_lost,
                      .message = message,
                      .rank = member.info.rank});
    };
    // The others have read their data before, and wait for as long as a newcomer works.
    const auto is_newcomer = [&](std::size_t rank) { return roster.members()[rank].seat.joins; };
    if (standstill_.worked_since_beat(is_newcomer)) agreement_.wait_longer();
    if (const auto owing = agreement_.overdue_after_beat(most_beats)) note_late(roster.members()[*owing]);
    if (is_keeping_) standstill_.note_work();
    const auto all = roster.members();
    // Nobody waits for a node that trains alone, so no peer tells that it stands still.
    const bool one_works = std::ranges::count(all, false, &Member::finished) == 1;
    if (!(agreement_.is_untouched() || one_works) || !standstill_.is_overdue_after_beat(most_beats)) return;
    // A node that waits for its peers, or has finished, is not the one that holds them up.
    const auto waits = [](const Member& member) {
        return member.finished || (member.progress && member.progress->phase == phase::connect);
    };
    const auto found = std::ranges::find_if_not(all, waits);
    const auto& still = found == all.end() ? all.front() : *found;
    note(fmt::format("{} has done nothing for {} s{}; see what holds it up, or raise deadline_s",
                     still.label(), deadline_s, still.occupation()));
}

}  // namespace convoy
