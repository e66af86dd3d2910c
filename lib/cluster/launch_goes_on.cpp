// A launch that goes on when its nodes change: without nodes that were lost, and with those that are started
// in their place.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/control_messages.hpp"
#include "cluster/launch.hpp"
#include "spec/spec_of_members.hpp"

namespace convoy {

bool Launch::go_on() {
    if (!membership_.regrouping()) return false;
    regrouping_ = *membership_.regrouping();
    if (regrouping_.in_vain) {
        in_vain_ = in_vain_at_ == regrouping_.step ? in_vain_ + 1 : 1;
        in_vain_at_ = regrouping_.step;
    }
    replace_lost();
    const auto before = processes_;
    processes_ = next_processes();
    seats_.clear();
    std::vector<std::int64_t> numbers;
    std::vector<std::int64_t> joined;
    for (const auto& process : processes_) {
        seats_.push_back(all_seats_.at(static_cast<std::size_t>(process.number)));
        numbers.push_back(process.number);
        seats_.back().joins = std::ranges::count(before, process.pid, &OwnProcess::pid) == 0;
        if (seats_.back().joins) joined.push_back(process.number);
    }
    spec_ = spec_of_members(options_.spec, numbers);
    trains_ = false;
    run_ = random_run_id();
    ++generation_;
    harvest_.go_on_with(seats_.size());
    membership_ = Membership(membership_options());
    for (const auto rank : regrouping_.behind)
        observer_.on_detail(fmt::format("node {} was a step behind, and takes the state of another", rank));
    observer_.on_goes_on({.generation = generation_,
                          .nodes = std::ssize(seats_),
                          .places = std::move(numbers),
                          .joined = std::move(joined),
                          .step = regrouping_.step,
                          .apart = is_asynchronous(spec_.strategy)});
    try {
        carry_out(membership_.begin(Clock::now()));
    } catch (...) {
        note_bug();
    }
    if (newcomers_.is_any_ready()) deliver(event::NewcomerWaits{});
    return true;
}

void Launch::replace_lost() {
    for (const auto& member : membership_.members()) {
        if (!member.lost) continue;
        const bool apart = is_asynchronous(spec_.strategy);
        warnings_.push_back(fmt::format(
            "{} was lost, and the other nodes went on {}; the tables lack its last "
            "steps, and sums of that epoch lack its examples{}",
            member.label(), apart ? "from their own steps" : fmt::format("after step {}", regrouping_.step),
            apart ? "; its share of later batches was left out" : ""));
        wait_for_newcomer(processes_.at(static_cast<std::size_t>(member.info.rank)).number);
    }
}

std::vector<Launch::OwnProcess> Launch::next_processes() {
    std::vector<OwnProcess> next;
    for (std::size_t i = 0; i < regrouping_.ranks.size(); ++i) {
        const auto rank = regrouping_.ranks[i];
        const auto& member = membership_.members()[static_cast<std::size_t>(rank)];
        next.push_back(processes_.at(static_cast<std::size_t>(rank)));
        next.back().connection = member.any_connection().value();
        next.back().needs_state = std::ranges::count(regrouping_.behind, rank) > 0;
        next.back().step = regrouping_.steps[i];
    }
    // A newcomer that came too late for the state waits for the next time.
    if (!state_ || state_->step != regrouping_.step) return next;
    for (const auto& ready : newcomers_.take_ready())
        next.push_back(
            {.number = ready.number, .pid = ready.pid, .connection = ready.connection, .needs_state = true});
    std::ranges::sort(next, {}, &OwnProcess::number);
    return next;
}

std::optional<GoingApart> Launch::going_apart() const {
    if (generation_ == 0 || !is_asynchronous(spec_.strategy)) return std::nullopt;
    GoingApart apart{.shares = options_.spec.world_size(), .ranks = {}};
    for (const auto& process : processes_)
        apart.ranks.push_back({.place = process.number, .step = process.step});
    return apart;
}

void Launch::wait_for_newcomer(std::int64_t number) {
    if (!options_.spec.failures.grow) return;
    if (!newcomers_.wait_for(number, regrouping_.step, Clock::now()))
        observer_.on_notice(
            fmt::format("warning: no other process is started for node {}: {} in a row failed", number,
                        options_.spec.failures.restarts));
}

void Launch::start_newcomers() {
    for (const auto number : newcomers_.take_overdue(Clock::now())) own_->end(number, true);
    for (const auto number : newcomers_.take_due(Clock::now())) {
        try {
            const auto& seat = all_seats_.at(static_cast<std::size_t>(number));
            auto started = start_process(number, seat.threads);
            if (!started) throw InternalError("a node that somebody else starts cannot be started again");
            newcomers_.started(number, started->pid,
                               Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                  Seconds(membership_options().join_deadline_s)));
            links_.adopt(std::move(started->control), number, started->host);
        } catch (const ClusterError& error) {
            end_newcomer(number, error.what());
        }
    }
}

void Launch::end_newcomer(std::int64_t number, const std::string& how) {
    observer_.on_detail(fmt::format("a new process of node {} {} before it had joined", number, how));
    newcomers_.ended(number);
    if (!newcomers_.is_any_ready()) deliver(event::NewcomerLeft{});
    if (!membership_.is_over()) wait_for_newcomer(number);
}

// A newcomer gets its work with the next members. Until then, the membership machine does not know it.
bool Launch::hear_newcomer(const MembershipEvent& event) {
    if (const auto* connected = std::get_if<event::Connected>(&event)) {
        if (!connected->rank || !newcomers_.awaits_connection(*connected->rank)) return false;
        const auto is_connected = [&](const OwnProcess& own) {
            return own.connection == connected->connection;
        };
        if (std::ranges::any_of(processes_, is_connected)) return false;
        newcomers_.connected(*connected->rank, connected->connection);
        links_.send(connected->connection, encode(told::Welcome{}));
        return true;
    }
    if (const auto* came = std::get_if<event::HelloCame>(&event)) {
        const auto number = newcomers_.place_of(came->connection);
        if (!number) return false;
        if (came->hello.version != build_text()) {
            observer_.on_notice(fmt::format("warning: a new process of node {} runs convoy {}, not {}",
                                            *number, came->hello.version, build_text()));
            own_->end(*number, true);
            return true;
        }
        newcomers_.said_hello(came->connection);
        links_.admit(came->connection, fmt::format("a new process of node {}", *number));
        observer_.on_detail(fmt::format("a new process of node {} is ready to join", *number));
        deliver(event::NewcomerWaits{});
        return true;
    }
    const auto* closed = std::get_if<event::Closed>(&event);
    const auto* garbled = std::get_if<event::Garbled>(&event);
    if (closed == nullptr && garbled == nullptr) return false;
    const auto number = newcomers_.place_of(closed != nullptr ? closed->connection : garbled->connection);
    if (number) own_->end(*number, true);
    return number.has_value();
}

std::optional<std::int64_t> Launch::rank_of(std::int64_t number) const {
    const auto found = std::ranges::find(processes_, number, &OwnProcess::number);
    return found == processes_.end() ? std::nullopt : std::optional(found - processes_.begin());
}

/// A worker knows the rank for which it was started.
void Launch::hear(MembershipEvent event) {
    if (hear_newcomer(event)) return;
    auto* hello = std::get_if<event::HelloCame>(&event);
    if (hello != nullptr && generation_ > 0 && hello->hello.rank)
        hello->hello.rank = rank_of(*hello->hello.rank);
    deliver(std::move(event));
}

}  // namespace convoy
