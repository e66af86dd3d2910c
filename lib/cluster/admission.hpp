#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "cluster/membership_events.hpp"

namespace convoy {

/// The connections that have not proved yet that they know the run's token. Part of the membership machine.
class Admission {
  public:
    /// The most connections that may be waiting at a time.
    static constexpr std::size_t most_waiting = 64;

    /// patience: the time in which a connection must say hello.
    Admission(std::string token, Clock::duration patience);

    /// Adds a new connection that waits. Returns false if too many connections wait already; the new one is
    /// then not added.
    bool open(const event::Connected& connected, TimePoint now);

    /// A connection that waited.
    struct Guest {
        std::string host;   ///< the address that it comes from
        std::string nonce;  ///< the nonce of its welcome
    };
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
    std::map<ConnectionId, Waiting> waiting_;
};

}  // namespace convoy
