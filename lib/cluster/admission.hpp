#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "cluster/membership_events.hpp"
#include "net/waiting_room.hpp"

namespace convoy {

/// The connections that have not proved yet that they know the run's token. Part of the membership machine.
class Admission {
  public:
    /// patience: the time in which a connection must say hello. expected: the number of connections that
    /// belong to the run.
    Admission(std::string token, Clock::duration patience, std::size_t expected);

    /// A connection that waited.
    struct Guest {
        std::string host;   ///< the address that it comes from
        std::string nonce;  ///< the nonce of its welcome
    };
    /// A connection that has to leave.
    struct Displaced {
        ConnectionId connection = 0;
        Guest guest;
    };
    /// Adds a new connection that waits. If too many wait then, it removes and returns another one of them.
    std::optional<Displaced> open(const event::Connected& connected, TimePoint now);

    /// Removes a connection and returns it. Absent if it did not wait.
    std::optional<Guest> take(ConnectionId connection);
    /// Checks that the sender of a hello knows the token, and returns the launcher's own proof. Throws
    /// ClusterError if the hello has no valid proof.
    [[nodiscard]] std::string check(const Guest& guest, const messages::Hello& hello) const;

    /// The connections whose patience is over. Each is returned once, and waits until take().
    std::vector<ConnectionId> overdue(TimePoint now);
    /// When the next connection will be overdue.
    [[nodiscard]] std::optional<TimePoint> next_due() const;

  private:
    struct Waiting {
        Guest guest;
        TimePoint latest;
        bool told = false;  ///< overdue() has returned it
    };
    std::string token_;
    Clock::duration patience_;
    WaitingRoom room_;
    std::map<ConnectionId, Waiting> waiting_;
};

}  // namespace convoy
