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

    /// A new connection begins to wait. False where there are too many already; it is not noted then.
    bool open(const event::Connected& connected, TimePoint now);

    /// A connection that waited.
    struct Guest {
        std::string host;   ///< the address that it comes from
        std::string nonce;  ///< that it was welcomed with
    };
    /// The connection waits no more. Absent where it did not wait.
    std::optional<Guest> take(ConnectionId connection);
    /// Throws ClusterError where the hello does not prove that its sender knows the token. Returns the proof
    /// that the launcher gives in return.
    [[nodiscard]] std::string check(const Guest& guest, const messages::Hello& hello) const;

    /// Connections whose patience is over, each named once. They go on waiting until take().
    std::vector<ConnectionId> overdue(TimePoint now);
    /// When the next connection will be overdue.
    [[nodiscard]] std::optional<TimePoint> next_due() const;

  private:
    struct Waiting {
        Guest guest;
        TimePoint latest;
        bool told = false;  ///< was named as overdue
    };
    std::string token_;
    Clock::duration patience_;
    std::map<ConnectionId, Waiting> waiting_;
};

}  // namespace convoy
