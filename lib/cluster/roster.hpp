#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "cluster/admission.hpp"
#include "cluster/member.hpp"
#include "cluster/membership_actions.hpp"
#include "cluster/membership_events.hpp"

namespace convoy {

/// The members of a run, their connections, and the pending actions of the membership machine. Part of the
/// membership machine.
class Roster {
  public:
    /// patience: the time in which a connection must say hello.
    Roster(const std::vector<Seat>& seats, Clock::duration patience, bool is_encrypted);

    [[nodiscard]] std::span<Member> members() { return members_; }
    [[nodiscard]] std::span<const Member> members() const { return members_; }
    [[nodiscard]] Member& member(std::int64_t rank) { return members_.at(static_cast<std::size_t>(rank)); }
    /// The member of a connection, also of the connection of its own process before it joined; nullptr if the
    /// connection belongs to no member.
    [[nodiscard]] Member* member_at(ConnectionId connection);

    /// Adds an action (ask), and moves out all actions in the order in which they were added (take_actions).
    void ask(MembershipAction action) { actions_.push_back(std::move(action)); }
    MembershipActions take_actions();

    /// Sends a message if the member is connected.
    void send(const Member& member, LauncherMessage message);
    void send_all(const LauncherMessage& message);
    void ping(Member& member, TimePoint now);
    void ping_all(TimePoint now);
    /// Begins a round of pings that estimates a member's clock.
    void probe_clock(Member& member, TimePoint now);

    /// Takes a new connection: that of a member's own process, which it welcomes, or of a stranger. If too
    /// many strangers wait, another one of them has to leave.
    void welcome(const event::Connected& connected, TimePoint now);
    /// Handles a hello: its sender becomes a member, or is refused. quietly: a refusal makes no notice for
    /// the user. Returns the problem if a worker that the launcher itself started has another version, since
    /// this is an error of the run. Returns nullopt otherwise.
    std::optional<messages::Problem> admit(const event::HelloCame& came, bool quietly);
    /// Handle a connection of a stranger that ended, or that carried bytes that are not a message. Both do
    /// nothing if the connection is not known.
    void note_stranger_left(const event::Closed& closed, bool quietly);
    void refuse_stranger(const event::Garbled& garbled, bool quietly);
    /// Closes the connections of strangers that have waited too long. A Closed event follows for each.
    void close_overdue(TimePoint now);
    [[nodiscard]] std::optional<TimePoint> next_due() const { return admission_.next_due(); }

    /// Notes that the member has no connection any more.
    void forget_connection(Member& member);
    /// Closes a member's connection.
    void close(Member& member);
    /// A line if nodes on other hosts cannot reach a node, since it listens on loopback and they do not.
    [[nodiscard]] std::optional<std::string> out_of_reach() const;
    /// Sends each member its assignment, and tells the user if others can read what the members will send.
    void assign();

  private:
    /// Whether a member that this machine did not start listens beyond loopback.
    [[nodiscard]] bool is_reached_from_outside() const;
    Member& free_seat(const messages::Hello& hello);
    void seat(Member& member, const event::HelloCame& came, const std::string& host);
    std::optional<messages::Problem> admit_own(Member& member, const event::HelloCame& came);
    void refuse(ConnectionId connection, const std::string& host, const messages::Problem& problem,
                bool quietly);
    void tell_refusal(const std::string& host, const std::string& reason);

    std::vector<Member> members_;                ///< by rank
    std::map<ConnectionId, std::size_t> ranks_;  ///< rank of each member's connection
    bool is_encrypted_;                          ///< by TLS
    Admission admission_;
    int told_refusals_ = 0;
    MembershipActions actions_;
};

}  // namespace convoy
