#include "cluster/roster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/endpoint.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

namespace {

/// Exchanges in one estimate of a node's clock; the best one counts.
constexpr int probes_in_a_round = 8;
/// The notices of refused connections that a run makes.
constexpr int most_told_refusals = 8;
constexpr const char* plain_mode =
    "nodes are reached from other machines, and without TLS: a change on the way is found, but others on the "
    "network can read what they send";

std::vector<Member> members_of(const std::vector<Seat>& seats) {
    std::vector<Member> members(seats.size());
    for (std::size_t rank = 0; rank < seats.size(); ++rank) {
        members[rank].seat = seats[rank];
        members[rank].info.rank = static_cast<std::int64_t>(rank);
        members[rank].info.threads = seats[rank].threads.value_or(1);
    }
    return members;
}

bool is_of_other_version(const messages::Hello& hello) {
    return hello.protocol != messages::protocol || hello.version != build_text();
}

std::string other_version_text(const Member& member, const messages::Hello& hello) {
    return fmt::format("{} runs convoy {} (protocol {}), the launcher {} (protocol {}); install the same",
                       member.label(), hello.version, hello.protocol, build_text(), messages::protocol);
}

}  // namespace

Roster::Roster(const std::vector<Seat>& seats, Clock::duration patience, bool is_encrypted)
    : members_(members_of(seats)),
      is_encrypted_(is_encrypted),
      admission_(patience, static_cast<std::size_t>(std::ranges::count(seats, true, &Seat::by_hand))) {}

Member* Roster::member_at(ConnectionId connection) {
    const auto found = ranks_.find(connection);
    return found == ranks_.end() ? nullptr : &members_[found->second];
}

MembershipActions Roster::take_actions() {
    return std::exchange(actions_, {});
}

void Roster::send(const Member& member, LauncherMessage message) {
    if (!member.connection) return;
    ask(action::Send{.connection = *member.connection, .message = std::move(message)});
}

void Roster::send_all(const LauncherMessage& message) {
    for (const auto& member : members_) send(member, message);
}

void Roster::ping(Member& member, TimePoint now) {
    if (member.connection) send(member, told::Ping{.number = member.clock.ask(now)});
}

void Roster::ping_all(TimePoint now) {
    for (auto& member : members_) ping(member, now);
}

void Roster::probe_clock(Member& member, TimePoint now) {
    member.clock.restart();
    member.probes_left = probes_in_a_round;
    ping(member, now);
}

void Roster::welcome(const event::Connected& connected, TimePoint now) {
    if (connected.rank) {
        auto& own = member(*connected.rank);
        own.awaited = connected.connection;
        own.info.host = connected.host;
        ranks_[connected.connection] = static_cast<std::size_t>(*connected.rank);
        ask(action::Send{.connection = connected.connection, .message = told::Welcome{}});
    } else if (const auto displaced = admission_.open(connected, now)) {
        tell_refusal(displaced->host, "it said nothing, and others came");
        ask(action::Close{.connection = displaced->connection});
    }
}

std::optional<messages::Problem> Roster::admit(const event::HelloCame& came, bool quietly) {
    if (auto* own = member_at(came.connection); own != nullptr) return admit_own(*own, came);
    const auto guest = admission_.take(came.connection);
    if (!guest) return std::nullopt;
    const auto& hello = came.hello;
    try {
        auto& member = free_seat(hello);
        // It may be replaced by one of the right version.
        if (is_of_other_version(hello)) throw DisagreementError(other_version_text(member, hello));
        seat(member, came, *guest);
    } catch (const Error& error) {
        refuse(came.connection, *guest, {.code = error.code(), .message = error.what()}, quietly);
    }
    return std::nullopt;
}

/// A process that the launcher started shows by its connection who it is.
std::optional<messages::Problem> Roster::admit_own(Member& member, const event::HelloCame& came) {
    if (member.joined) return std::nullopt;
    messages::Problem problem{.code = ExitCode::disagreement, .message = {}};
    if (is_of_other_version(came.hello)) {
        problem.message = other_version_text(member, came.hello);
    } else if (came.hello.rank != member.info.rank) {
        problem.message = fmt::format("{} says that it is another node", member.label());
    } else {
        seat(member, came, member.info.host);
        return std::nullopt;
    }
    ask(action::Refuse{.connection = came.connection, .problem = problem});
    return problem;
}

void Roster::seat(Member& member, const event::HelloCame& came, const std::string& host) {
    member.info.pid = came.hello.pid;
    member.info.host = host;
    member.info.threads = member.seat.threads.value_or(std::clamp(came.hello.cores, 1, most_threads));
    member.fabric = came.hello.fabric;
    member.awaited.reset();
    member.connection = came.connection;
    member.joined = true;
    ranks_[came.connection] = static_cast<std::size_t>(member.info.rank);
    ask(action::Admit{.connection = came.connection, .label = member.label()});
}

Member& Roster::free_seat(const messages::Hello& hello) {
    const auto free = [&](const Member& member) {
        return !member.joined && member.seat.by_hand &&
               hello.rank.value_or(member.info.rank) == member.info.rank;
    };
    const auto seat = std::ranges::find_if(members_, free);
    if (seat == members_.end())
        throw ClusterError(
            hello.rank ? fmt::format("there is no free place for it as node {} of this run", *hello.rank)
                       : "there is no free place for it in this run");
    return *seat;
}

void Roster::refuse(ConnectionId connection, const std::string& host, const messages::Problem& problem,
                    bool quietly) {
    if (quietly) return ask(action::Close{.connection = connection});
    tell_refusal(host, problem.message);
    ask(action::Refuse{.connection = connection, .problem = problem});
}

/// A crowd of strangers must not bury the other lines.
void Roster::tell_refusal(const std::string& host, const std::string& reason) {
    if (told_refusals_ > most_told_refusals) return;
    ask(action::Notice{.line = ++told_refusals_ > most_told_refusals
                                   ? "refuses more connections, and tells no more of them"
                                   : fmt::format("refused a connection from {}: {}", host, reason)});
}

void Roster::note_stranger_left(const event::Closed& closed, bool quietly) {
    const auto guest = admission_.take(closed.connection);
    if (guest && !quietly) tell_refusal(*guest, closed.how);
}

void Roster::refuse_stranger(const event::Garbled& garbled, bool quietly) {
    const auto guest = admission_.take(garbled.connection);
    if (guest) refuse(garbled.connection, *guest, garbled.problem, quietly);
}

void Roster::close_overdue(TimePoint now) {
    for (const auto late : admission_.overdue(now)) ask(action::Close{.connection = late});
}

void Roster::forget_connection(Member& member) {
    for (auto* connection : {&member.awaited, &member.connection}) {
        if (*connection) ranks_.erase(**connection);
        connection->reset();
    }
}

void Roster::close(Member& member) {
    for (const auto& connection : {member.awaited, member.connection})
        if (connection) ask(action::Close{.connection = *connection});
    forget_connection(member);
}

std::optional<std::string> Roster::out_of_reach() const {
    const auto is_on_loopback = [](const Member& member) {
        return member.seat.remote && parse_endpoint(member.fabric).address().is_loopback();
    };
    const auto inner = std::ranges::find_if(members_, is_on_loopback);
    const auto outer = std::ranges::find_if_not(members_, is_on_loopback);
    if (inner == members_.end() || outer == members_.end()) return std::nullopt;
    return fmt::format(
        "{} is reached by {}, which no other host reaches, as that of {}; name its host as the others reach "
        "it, or give --listen a network or an interface, as 10.0.0.0/24",
        inner->label(), inner->fabric, outer->label());
}

bool Roster::is_reached_from_outside() const {
    return std::ranges::any_of(members_, [](const Member& member) {
        const bool of_this_machine = !member.seat.by_hand && !member.seat.remote;
        return !of_this_machine && !parse_endpoint(member.fabric).address().is_loopback();
    });
}

void Roster::assign() {
    if (!is_encrypted_ && is_reached_from_outside()) ask(action::Notice{.line = plain_mode});
    std::vector<std::string> peers;
    int threads_of_any = 1;
    for (const auto& member : members_) {
        peers.push_back(member.fabric);
        threads_of_any = std::max(threads_of_any, member.info.threads);
    }
    for (const auto& member : members_) {
        ask(action::Assign{.connection = member.connection.value(),
                           .rank = member.info.rank,
                           .threads = member.info.threads,
                           .layout_threads = threads_of_any,
                           .peers = peers});
    }
}

}  // namespace convoy
