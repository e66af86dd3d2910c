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

/// The members of a run with their connections, and the actions that are to be done for them. Part of the
/// membership machine.
class Roster {
  public:
    /// patience: the time in which a connection must say hello.
    Roster(const std::vector<Seat>& seats, std::string token, Clock::duration patience);

    [[nodiscard]] std::span<Member> members() { return members_; }
    [[nodiscard]] std::span<const Member> members() const { return members_; }
    [[nodiscard]] Member& member(std::int64_t rank) { return members_.at(static_cast<std::size_t>(rank)); }
    /// The member that a connection belongs to; nullptr where it belongs to none.
    [[nodiscard]] Member* member_at(ConnectionId connection);

    /// Actions in the order in which they are to be done.
    void ask(MembershipAction action) { actions_.push_back(std::move(action)); }
    MembershipActions take_actions();

    /// Sends a message, where the member is connected.
    void send(const Member& member, LauncherMessage message);
    void send_all(const LauncherMessage& message);
    void ping(Member& member, TimePoint now);
    void ping_all(TimePoint now);
    /// Begins a round of pings that estimates a member's clock.
    void probe_clock(Member& member, TimePoint now);

    /// A stranger connected: welcomes it, or closes it where too many wait.
    void welcome(const event::Connected& connected, TimePoint now);
    /// A stranger says hello: it becomes a member, or is refused. quietly: without a notice. Returns the
    /// problem where a worker that the launcher itself started runs another version, since that is an error
    /// of the run; nullopt otherwise.
    std::optional<messages::Problem> admit(const event::HelloCame& came, bool quietly);
    /// A connection that belongs to no member ended, or carried nonsense. Both do nothing where the
    /// connection is not known.
    void note_stranger_left(const event::Closed& closed, bool quietly);
    void refuse_stranger(const event::Garbled& garbled, bool quietly);
    /// Closes the connections of strangers that have waited too long. Each then comes as Closed.
    void close_overdue(TimePoint now);
    [[nodiscard]] std::optional<TimePoint> next_due() const { return admission_.next_due(); }

    /// The member has no connection any more.
    void forget_connection(Member& member);
    /// Closes a member's connection.
    void close(Member& member);
    /// Sends each member its work.
    void assign();

  private:
    Member& free_seat(const std::optional<std::int64_t>& rank);
    void refuse(ConnectionId connection, const std::string& host, const messages::Problem& problem,
                bool quietly);

    std::vector<Member> members_;                ///< by rank
    std::map<ConnectionId, std::size_t> ranks_;  ///< of the connections of members
    Admission admission_;
    MembershipActions actions_;
};

}  // namespace convoy
