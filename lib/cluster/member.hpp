#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "cluster/clock_probe.hpp"
#include "cluster/heartbeat.hpp"
#include "cluster/launcher.hpp"
#include "cluster/membership_events.hpp"

namespace convoy {

/// The state of a member's process, if the launcher starts it.
enum class ProcessState : std::uint8_t {
    none,      ///< not asked for, or started by hand
    starting,  ///< asked for, but not running yet
    running,
    ended
};

/// A place in a run, which a node takes when it joins.
struct Seat {
    bool by_hand = false;        ///< somebody else starts the node
    bool remote = false;         ///< the launcher starts the node on another host
    std::optional<int> threads;  ///< compute threads; absent: the number of cores of the node's machine
    bool joins = false;          ///< the process gets the state of another node with its assignment
    bool serves = false;         ///< a server: it alone has its parameters, so no run goes on without it
};

/// The membership machine's knowledge of one rank: its process, its connection, and its reports.
struct Member {
    NodeInfo info;
    Seat seat;
    ProcessState process = ProcessState::none;
    std::string process_end;  ///< as in "ended with exit code 3"; empty if it ended well or did not end
    std::optional<ConnectionId> awaited;     ///< the connection of its own process, before the node joined
    std::optional<ConnectionId> connection;  ///< set while the node's connection is open, after it joined
    bool joined = false;                     ///< had a connection at some time
    std::string fabric;                      ///< HOST:PORT where peers reach the node

    TimePoint heard_at{};      ///< the time of its last message, or of its assignment
    Silence silence;           ///< since its last message
    bool owes_answer = false;  ///< no message came since the launcher began to look for a cause
    double busy_us = 0.0;      ///< the processor time that its job had used at its last answer
    ClockProbe clock;
    int probes_left = 0;  ///< probes left in this round
    std::optional<ClockProbe::Estimate> first_clock;

    std::optional<NodeProgress> progress;
    bool reported = false;                        ///< the node reported its failure
    bool finished = false;                        ///< the node reported that its job is done
    bool stopped = false;                         ///< its job ended early, because the run was interrupted
    bool lost = false;                            ///< the other members are to go on without it
    std::optional<std::int64_t> suspended_after;  ///< the last step that it committed, if it waits to go on
    bool gave_state = false;                      ///< it sent its state after this step

    /// Whether the member still has a process or a connection.
    [[nodiscard]] bool is_here() const;
    /// Its connection, also before it joined.
    [[nodiscard]] std::optional<ConnectionId> any_connection() const {
        return connection ? connection : awaited;
    }
    /// The name of the node, as in "node 2 (pid 4711)"; with the host if that is another one.
    [[nodiscard]] std::string label() const;
    /// The node's work before its first step, as in " while it read labels.gz". Empty if it is not known.
    [[nodiscard]] std::string occupation() const;
    /// The last known place of the node in its job, as in " in epoch 1, step 312".
    [[nodiscard]] std::string position() const;
};

}  // namespace convoy
