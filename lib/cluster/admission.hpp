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

/// The connections that have not proved yet that they belong to the run. Part of the membership machine.
class Admission {
  public:
    /// patience: the time in which a connection must say hello. expected: the number of connections that
    /// belong to the run.
    Admission(Clock::duration patience, std::size_t expected);

    /// A connection that has to leave.
    struct Displaced {
        ConnectionId connection = 0;
        std::string host;  ///< the address that it comes from
    };
    /// Adds a new connection that waits. If too many wait then, it removes and returns another one of them.
    std::optional<Displaced> open(const event::Connected& connected, TimePoint now);

    /// Removes a connection and returns the address that it comes from. Absent if it did not wait.
    std::optional<std::string> take(ConnectionId connection);

    /// The connections whose patience is over. Each is returned once, and waits until take().
    std::vector<ConnectionId> overdue(TimePoint now);
    /// When the next connection will be overdue.
    [[nodiscard]] std::optional<TimePoint> next_due() const;

  private:
    struct Waiting {
        std::string host;
        TimePoint latest;
        bool told = false;  ///< overdue() has returned it
    };
    Clock::duration patience_;
    WaitingRoom room_;
    std::map<ConnectionId, Waiting> waiting_;
};

}  // namespace convoy
