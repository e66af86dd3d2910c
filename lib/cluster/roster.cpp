#include "cluster/roster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace convoy {

namespace {

/// Exchanges in one estimate of a node's clock; the best one counts.
constexpr int probes_in_a_round = 8;

std::vector<Member> members_of(const std::vector<Seat>& seats) {
    std::vector<Member> members(seats.size());
    for (std::size_t rank = 0; rank < seats.size(); ++rank) {
        members[rank].seat = seats[rank];
        members[rank].info.rank = static_cast<std::int64_t>(rank);
        members[rank].info.threads = seats[rank].threads.value_or(1);
    }
    return members;
}

std::string other_version_text(const Member& member, const messages::Hello& hello) {
    return fmt::format("{} runs convoy {} (protocol {}), the launcher {} (protocol {}); install the same",
                       member.label(), hello.version, hello.protocol, version(), messages::protocol);
}

}  // namespace

Roster::Roster(const std::vector<Seat>& seats, std::string token, Clock::duration patience)
    : members_(members_of(seats)), admission_(std::move(token), patience) {}

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
    if (admission_.open(connected, now)) {
        ask(action::Send{.connection = connected.connection,
                         .message = told::Welcome{.nonce = connected.nonce}});
    } else {
        ask(action::Close{.connection = connected.connection});
    }
}

std::optional<messages::Problem> Roster::admit(const event::HelloCame& came, bool quietly) {
    const auto guest = admission_.take(came.connection);
    if (!guest) return std::nullopt;
    const auto& hello = came.hello;
    std::optional<messages::Problem> error_of_the_run;
    try {
        const auto proof = admission_.check(*guest, hello);
        auto& member = free_seat(hello.rank);
        if (hello.protocol != messages::protocol || hello.version != version()) {
            const auto text = other_version_text(member, hello);
            // A node that came by hand may be replaced by one of the right version.
            if (!member.seat.by_hand)
                error_of_the_run = messages::Problem{.code = ExitCode::disagreement, .message = text};
            throw DisagreementError(text);
        }
        member.info.pid = hello.pid;
        member.info.host = guest->host;
        member.info.threads = member.seat.threads.value_or(std::max(1, hello.cores));
        member.fabric = hello.fabric;
        member.proof = proof;
        member.connection = came.connection;
        member.joined = true;
        ranks_[came.connection] = static_cast<std::size_t>(member.info.rank);
        ask(action::Admit{.connection = came.connection, .label = member.label()});
    } catch (const Error& error) {
        refuse(came.connection, guest->host, {.code = error.code(), .message = error.what()}, quietly);
    }
    return error_of_the_run;
}

Member& Roster::free_seat(const std::optional<std::int64_t>& rank) {
    const auto free = [&](const Member& member) {
        return !member.joined && (rank ? member.info.rank == *rank : member.seat.by_hand);
    };
    const auto seat = std::ranges::find_if(members_, free);
    if (seat == members_.end()) throw ClusterError("there is no free place for it in this run");
    return *seat;
}

void Roster::refuse(ConnectionId connection, const std::string& host, const messages::Problem& problem,
                    bool quietly) {
    if (quietly) return ask(action::Close{.connection = connection});
    ask(action::Notice{.line = fmt::format("refused a connection from {}: {}", host, problem.message)});
    ask(action::Refuse{.connection = connection, .problem = problem});
}

void Roster::note_stranger_left(const event::Closed& closed, bool quietly) {
    const auto guest = admission_.take(closed.connection);
    if (guest && !quietly)
        ask(action::Notice{.line = fmt::format("refused a connection from {}: {}", guest->host, closed.how)});
}

void Roster::refuse_stranger(const event::Garbled& garbled, bool quietly) {
    const auto guest = admission_.take(garbled.connection);
    if (guest) refuse(garbled.connection, guest->host, garbled.problem, quietly);
}

void Roster::close_overdue(TimePoint now) {
    for (const auto late : admission_.overdue(now)) ask(action::Close{.connection = late});
}

void Roster::forget_connection(Member& member) {
    if (!member.connection) return;
    ranks_.erase(*member.connection);
    member.connection.reset();
}

void Roster::close(Member& member) {
    if (!member.connection) return;
    ask(action::Close{.connection = *member.connection});
    forget_connection(member);
}

void Roster::assign() {
    std::vector<std::string> peers;
    int most_threads = 1;
    for (const auto& member : members_) {
        peers.push_back(member.fabric);
        most_threads = std::max(most_threads, member.info.threads);
    }
    for (const auto& member : members_) {
        ask(action::Assign{.connection = member.connection.value(),
                           .rank = member.info.rank,
                           .threads = member.info.threads,
                           .layout_threads = most_threads,
                           .peers = peers,
                           .proof = member.proof});
    }
}

}  // namespace convoy
