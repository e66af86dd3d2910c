#include "cluster/membership.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace convoy {

using namespace std::chrono_literals;

namespace {

/// The time in which nodes may leave by themselves.
constexpr Clock::duration patience_after_success = 10s;
constexpr Clock::duration patience_after_failure = 500ms;
/// The least time in which a node that stands still says hello to other members.
constexpr double least_time_to_return_s = 2.0;

Clock::duration duration_of(double seconds) {
    return std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
}

bool all_probed(std::span<const Member> members) {
    return std::ranges::all_of(members, [](const Member& member) { return member.probes_left == 0; });
}

}  // namespace

Membership::Membership(MembershipOptions options)
    : deadline_s_(options.deadline_s),
      time_to_join_s_(options.join_deadline_s),
      silence_s_(options.heartbeat_s ? 2.0 * *options.heartbeat_s : options.deadline_s),
      told_silence_s_(options.heartbeat_s ? 1.5 * *options.heartbeat_s : options.deadline_s),
      waited_in_vain_at_(options.waited_in_vain_at),
      shrinks_(options.shrinks),
      begun_(options.begun),
      roster_(options.seats, std::min(WaitingRoom::patience, duration_of(deadline_s_)), options.is_encrypted),
      proceedings_(options.seats.size()),
      heartbeat_(duration_of(deadline_s_),
                 options.heartbeat_s ? std::optional(duration_of(*options.heartbeat_s)) : std::nullopt),
      suspension_(options.apart),
      clock_(duration_of(deadline_s_)) {
    // The I/O thread of a node that stands still answers at once.
    if (begun_) time_to_join_s_ = std::min(time_to_join_s_, std::max(silence_s_, least_time_to_return_s));
    for (int signal = 0; signal < options.signals; ++signal) proceedings_.interrupt();
    if (options.stop_wanted) proceedings_.want_stop();
    if (options.has_results) proceedings_.note_results();
}

MembershipActions Membership::begin(TimePoint now) {
    clock_.begin(now);
    join_by_ = now + duration_of(time_to_join_s_);
    heartbeat_.start(now);
    for (auto& member : roster_.members()) {
        if (!member.seat.by_hand) member.process = ProcessState::starting;
        roster_.ask(action::Start{.rank = member.info.rank, .threads = member.seat.threads});
    }
    return roster_.take_actions();
}

MembershipActions Membership::handle(MembershipEvent event, TimePoint now) {
    if (is_over()) return {};
    clock_.advance(now, next_due());
    std::visit([this](auto& happened) { on(happened); }, event);
    while (advance()) {
    }
    return roster_.take_actions();
}

std::optional<TimePoint> Membership::next_due() const {
    if (is_over()) return std::nullopt;
    std::optional<TimePoint> due = roster_.next_due();
    const auto also = [&due](std::optional<TimePoint> other) {
        if (other) due = std::min(due.value_or(*other), *other);
    };
    also(heartbeat_.next_due());
    if (phase_ == Phase::forming) also(join_by_);
    if (phase_ == Phase::searching) also(inquest_.next_due());
    if (phase_ == Phase::suspending || phase_ == Phase::working) also(suspension_.next_due());
    if (phase_ == Phase::leaving) also(departure_.next_due());
    return due ? std::optional(clock_.steady_of(*due)) : std::nullopt;
}

MembershipVerdict Membership::verdict() const {
    // A run that was asked to stop keeps the results that had arrived, however it ended.
    if (error_ && proceedings_.has_results() && proceedings_.is_stopping() && !launcher_failed_)
        return {.error = std::nullopt, .interrupted = true};
    return {.error = error_, .interrupted = std::ranges::any_of(members(), &Member::stopped)};
}

void Membership::on(const event::ProcessStarted& started) {
    auto& member = roster_.member(started.rank);
    member.process = ProcessState::running;
    if (!member.joined) member.info.pid = started.pid;
    // A starter that takes its time may have begun before the run failed.
    if (is_ending())
        roster_.ask(action::EndProcess{.rank = started.rank, .by_force = departure_.has_killed()});
}

void Membership::on(const event::StartFailed& failed) {
    roster_.member(failed.rank).process = ProcessState::ended;
    if (is_ending()) return;
    tell_lost({.code = failed.problem.code, .message = failed.problem.message, .rank = failed.rank});
    begin_departure(failed.problem);
}

void Membership::on(const event::ProcessEnded& ended) {
    auto& member = roster_.member(ended.rank);
    member.process = ProcessState::ended;
    if (!ended.well) member.process_end = ended.how;
    // A worker that cannot join says itself why, and its exit code is that of the reason.
    note_loss(member, {.evidence = Evidence::cause,
                       .code = member.joined || begun_ ? ExitCode::node_lost : ExitCode::unavailable,
                       .message = fmt::format("{} {}{}{}{}", member.label(), ended.how, member.position(),
                                              ended.reason.empty() ? "" : ": ", ended.reason),
                       .rank = ended.rank});
}

void Membership::on(const event::Connected& connected) {
    roster_.welcome(connected, clock_.now());
}

void Membership::on(const event::HelloCame& came) {
    const auto problem = roster_.admit(came, is_ending());
    if (problem)
        inquest_.note({.evidence = Evidence::cause, .code = problem->code, .message = problem->message});
}

void Membership::on(event::Said& said) {
    auto* member = roster_.member_at(said.connection);
    // A worker that says hello again may have sent more to the members that it was with.
    if (member == nullptr || !member->joined) return;
    try {
        proceedings_.hear(*member, std::move(said.message), roster_, inquest_, clock_.steady());
    } catch (const Error& error) {
        on(event::Garbled{.connection = said.connection,
                          .problem = {.code = error.code(), .message = error.what()}});
    }
}

void Membership::on(const event::Closed& closed) {
    auto* member = roster_.member_at(closed.connection);
    if (member == nullptr) return roster_.note_stranger_left(closed, is_ending());
    if ((member->seat.by_hand || member->seat.remote) && clock_.was_given_up()) {
        inquest_.note({.evidence = Evidence::cause,
                       .code = ExitCode::deadline,
                       .message = fmt::format("{}; {} waited for {} s, and left",
                                              clock_.words_of_standstill(), member->label(), deadline_s_),
                       .is_standstill = true});
    }
    // Of a process that somebody else started, no more will be known.
    roster_.forget_connection(*member);
    note_loss(*member,
              {.evidence = member->seat.by_hand ? Evidence::cause : Evidence::disconnected,
               .code = member->joined || begun_ ? ExitCode::node_lost : ExitCode::unavailable,
               .message = fmt::format("{} closed its connection{}", member->label(), member->position()),
               .rank = member->info.rank});
}

void Membership::on(const event::Garbled& garbled) {
    auto* member = roster_.member_at(garbled.connection);
    if (member == nullptr) return roster_.refuse_stranger(garbled, is_ending());
    inquest_.note({.evidence = Evidence::cause,
                   .code = garbled.problem.code,
                   .message = fmt::format("{}: {}", member->label(), garbled.problem.message),
                   .rank = member->info.rank});
    roster_.close(*member);
}

void Membership::on(const event::CheckpointKept& /*kept*/) {
    proceedings_.note_kept();
    roster_.send_all(told::Kept{});
}

void Membership::on(const event::Signalled& /*signalled*/) {
    const bool stops = proceedings_.is_stopping();
    proceedings_.interrupt();
    if (!stops && may_tell_to_stop()) roster_.send_all(told::Stop{});
}

void Membership::on(const event::NewcomerWaits& /*waits*/) {
    newcomer_waits_ = true;
}

void Membership::on(const event::NewcomerLeft& /*left*/) {
    // Members that were asked to stand still go on in the next generation.
    if (!proceedings_.is_pausing()) newcomer_waits_ = false;
}

void Membership::on(const event::StopWanted& /*wanted*/) {
    if (!assigned_ || proceedings_.is_stopping()) return;
    proceedings_.want_stop();
    if (may_tell_to_stop()) roster_.send_all(told::Stop{});
}

void Membership::on(const event::LauncherFailed& /*failed*/) {
    launcher_failed_ = true;
}

void Membership::on(const event::TimePassed& /*passed*/) {
    roster_.close_overdue(clock_.now());
    if (!heartbeat_.beat(clock_.now(), clock_.last_standstill())) return;
    for (auto& member : roster_.members()) {
        if (!member.connection || !heartbeat_.loses(member.silence)) continue;
        note_loss(member, {.evidence = Evidence::silence,
                           .code = ExitCode::node_lost,
                           .message = fmt::format("{} has not answered for {:g} s{}", member.label(),
                                                  told_silence_s_, member.position()),
                           .rank = member.info.rank});
    }
    for (auto& member : roster_.members())
        if (member.connection) heartbeat_.count(member.silence);
    roster_.ping_all(clock_.steady());
    if (assigned_ && phase_ != Phase::suspending)
        proceedings_.check_work(roster_, inquest_, heartbeat_.beats_in_deadline(), deadline_s_);
}

bool Membership::advance() {
    if (is_running()) {
        if (!launcher_failed_ && inquest_.has_failures()) {
            begin_search();
            return true;
        }
        if (auto reason = reason_to_leave()) {
            begin_departure(std::move(reason));
            return true;
        }
    }
    switch (phase_) {
        case Phase::forming: return advance_from_forming();
        case Phase::working: return advance_from_working();
        case Phase::probing: return advance_from_probing();
        case Phase::searching: return advance_from_searching();
        case Phase::suspending: return advance_from_suspending();
        case Phase::leaving: return advance_from_leaving();
        case Phase::over: break;
    }
    return false;
}

std::optional<messages::Problem> Membership::reason_to_leave() const {
    using messages::Problem;
    const auto signals = proceedings_.interruptions();
    if (launcher_failed_) return Problem{.code = ExitCode::bug, .message = "the launcher failed"};
    if (signals > 1)
        return Problem{.code = ExitCode::interrupted,
                       .message = "interrupted twice: the nodes were ended at once"};
    if (signals == 1 && !assigned_ && !begun_)
        return Problem{.code = ExitCode::interrupted, .message = "interrupted before the nodes had begun"};
    if (proceedings_.nothing_begun())
        return Problem{.code = ExitCode::interrupted, .message = "interrupted before the first step"};
    return std::nullopt;
}

bool Membership::advance_from_forming() {
    const auto all = members();
    const auto missing = std::ranges::find_if(all, [](const Member& member) { return !member.connection; });
    if (missing == all.end()) {
        if (auto apart = roster_.out_of_reach()) {
            begin_departure(messages::Problem{.code = ExitCode::unavailable, .message = *std::move(apart)});
            return true;
        }
        roster_.ask(action::CloseDoor{});
        roster_.assign();
        for (auto& member : roster_.members()) {
            member.heard_at = clock_.steady();
            roster_.probe_clock(member, clock_.steady());
        }
        assigned_ = true;
        phase_ = Phase::working;
        if (proceedings_.is_stopping()) roster_.send_all(told::Stop{});
        return true;
    }
    if (clock_.now() < join_by_) return false;
    if (begun_ && shrinks_) {
        lose_absent();
        return true;
    }
    const messages::Problem late{
        .code = ExitCode::unavailable,
        .message = fmt::format("{} did not join within {} s; see what keeps it, or raise deadline_s",
                               missing->label(), time_to_join_s_)};
    tell_lost({.code = late.code, .message = late.message, .rank = missing->info.rank});
    begin_departure(late);
    return true;
}

bool Membership::advance_from_working() {
    if (!std::ranges::all_of(members(), &Member::finished) || !all_probed(members()))
        return advance_to_newcomer();
    for (auto& member : roster_.members()) roster_.probe_clock(member, clock_.steady());
    phase_ = Phase::probing;
    return true;
}

bool Membership::advance_from_probing() {
    if (!all_probed(members())) return false;
    begin_departure(std::nullopt);
    return true;
}

bool Membership::advance_from_searching() {
    if (!inquest_.is_complete(clock_.now())) return false;
    const auto cause = inquest_.conclude(members(), deadline_s_);
    if (may_go_on_without(cause)) {
        if (!is_unclear(cause)) tell_lost(cause);
        begin_suspension(cause);
    } else {
        const auto told = is_unclear(cause) && clock_.held_up_nodes()
                              ? Failure{.code = ExitCode::deadline,
                                        .message = clock_.words_of_standstill() + "; nodes waited for it",
                                        .is_standstill = true}
                              : cause;
        tell_lost(told);
        begin_departure(messages::Problem{.code = told.code, .message = words_of(told)});
    }
    return true;
}

bool Membership::advance_from_leaving() {
    const auto push = departure_.push(clock_.now());
    if (push == Departure::Push::terminate || push == Departure::Push::kill)
        push_out(push == Departure::Push::kill);
    if (push != Departure::Push::give_up && std::ranges::any_of(members(), &Member::is_here)) return false;
    phase_ = Phase::over;
    return false;
}

// A live node answers a ping at once, so a node that has not answered at the end of the search hangs.
void Membership::begin_search() {
    for (auto& member : roster_.members()) member.owes_answer = true;
    roster_.ping_all(clock_.steady());
    inquest_.open(clock_.now());
    phase_ = Phase::searching;
}

void Membership::tell_lost(const Failure& cause) {
    // A node that is lost while it joins is unavailable.
    const bool is_lost = cause.code == ExitCode::node_lost || cause.evidence == Evidence::absent ||
                         cause.is_standstill || (!assigned_ && cause.code == ExitCode::unavailable);
    if (!is_lost || proceedings_.is_stopping()) return;
    LostNode lost{.rank = cause.rank, .cause = cause.message, .had_begun = assigned_};
    for (const auto& member : members())
        if (member.progress) lost.step = std::max(lost.step, member.progress->step);
    if (lost.rank) {
        const auto& progress = roster_.member(*lost.rank).progress;
        if (progress) lost.own_step = progress->step;
    }
    if (lost.rank && assigned_)
        lost.unseen_s = Seconds(clock_.steady() - roster_.member(*lost.rank).heard_at).count();
    roster_.ask(action::TellLost{.lost = std::move(lost)});
}

void Membership::begin_departure(std::optional<messages::Problem> error) {
    if (!assigned_) roster_.ask(action::CloseDoor{});
    heartbeat_.stop();
    inquest_.end();
    if (error) {
        roster_.send_all(told::Abort{.problem = *error});
    } else {
        roster_.send_all(told::Bye{});
    }
    departure_.begin(clock_.now(), error ? patience_after_failure : patience_after_success);
    error_ = std::move(error);
    phase_ = Phase::leaving;
}

void Membership::push_out(bool by_force) {
    for (auto& member : roster_.members()) {
        const bool running = member.process == ProcessState::running;
        if (running) roster_.ask(action::EndProcess{.rank = member.info.rank, .by_force = by_force});
        // A network that lost the node does not tell that the connection ended.
        if (!running || by_force) roster_.close(member);
    }
}

}  // namespace convoy
