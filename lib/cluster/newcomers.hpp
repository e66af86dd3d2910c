#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "cluster/membership_events.hpp"
#include "cluster/restarts.hpp"

namespace convoy {

/// The processes that are started in the place of lost ones, until they join the run (FailureSpec::grow). A
/// state machine without clock, connections and processes. A process has the number of the place for which it
/// is started: the rank of the run's first nodes.
class Newcomers {
  public:
    /// A process that waits to join.
    struct Ready {
        std::int64_t place = 0, pid = 0;
        ConnectionId connection = 0;
    };

    /// places: the places of the run. most: the tries in a row for one place, see Restarts; none follows when
    /// these have failed.
    Newcomers(std::size_t places, std::int64_t most);

    /// The run goes on without the process of this place after a step, or its newcomer has failed. Another
    /// one is due after a pause. Returns false if there were enough tries.
    bool wait_for(std::int64_t number, std::int64_t step, TimePoint now);
    [[nodiscard]] std::optional<TimePoint> next_due() const;
    /// The places whose processes were started, and have not said hello in time.
    std::vector<std::int64_t> take_overdue(TimePoint now);
    /// The places whose processes are to be started now.
    std::vector<std::int64_t> take_due(TimePoint now);

    /// The process of a place was started, connected, and said hello.
    /// hello_by: the time by which it must have said hello.
    void started(std::int64_t number, std::int64_t pid, TimePoint hello_by);
    void connected(std::int64_t number, ConnectionId connection);
    void said_hello(ConnectionId connection);
    /// Its process has ended, or could not be started.
    void ended(std::int64_t number);
    /// The place whose process, which has not joined yet, has this connection.
    [[nodiscard]] std::optional<std::int64_t> place_of(ConnectionId connection) const;
    /// Whether the process of this place was started, and has not joined yet.
    [[nodiscard]] bool is_started(std::int64_t number) const;
    /// Whether its connection is still to come.
    [[nodiscard]] bool awaits_connection(std::int64_t number) const;
    /// The places whose processes were started, and have not joined yet.
    [[nodiscard]] std::vector<std::int64_t> started_places() const;

    [[nodiscard]] bool is_any_ready() const;
    /// Moves out all that wait to join, by place.
    std::vector<Ready> take_ready();

  private:
    enum class State : std::uint8_t { none, waits_for_time, started, connected, ready };
    struct Place {
        State state = State::none;
        TimePoint due{};
        Ready newcomer;
        Restarts tries;
    };
    Place& place(std::int64_t number) { return places_.at(static_cast<std::size_t>(number)); }
    [[nodiscard]] const Place& place(std::int64_t number) const {
        return places_.at(static_cast<std::size_t>(number));
    }

    std::vector<Place> places_;
};

}  // namespace convoy
