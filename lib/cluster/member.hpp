#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cluster/clock_probe.hpp"
#include "cluster/launcher.hpp"
#include "cluster/membership_events.hpp"

namespace convoy {

/// How far the process of a member is, where the launcher starts it.
enum class ProcessState : std::uint8_t {
    none,      ///< it was not asked for, or comes by hand
    starting,  ///< it was asked for
    running,
    ended
};

/// A place in a run, before anybody has joined.
struct Seat {
    bool by_hand = false;        ///< somebody else starts the node
    std::optional<int> threads;  ///< compute threads; absent: the cores of the machine that the node is on
};

/// The membership machine's knowledge of one rank: its process, its connection, and its reports.
struct Member {
    NodeInfo info;
    Seat seat;
    ProcessState process = ProcessState::none;
    std::string process_end;  ///< as in "ended with exit code 3"; empty where it ended well or did not end
    std::optional<ConnectionId> connection;  ///< while it stands
    bool joined = false;                     ///< had a connection at some time
    std::string fabric;                      ///< HOST:PORT where peers reach the node
    std::string proof;                       ///< the launcher's answer to the node's hello

    int silent_beats = 0;      ///< heartbeats since the last message
    bool owes_answer = false;  ///< no message came since the launcher began to look for a cause
    ClockProbe clock;
    int probes_left = 0;  ///< of the round of clock probes under way
    std::optional<ClockProbe::Estimate> first_clock;

    std::optional<NodeProgress> progress;
    bool reported = false;  ///< said that it failed
    bool finished = false;  ///< said that its job is done
    bool stopped = false;   ///< its job ended early, as it was asked to

    /// Whether there is still a process to wait for, or a connection.
    [[nodiscard]] bool is_here() const;
    /// As in "node 2 (pid 4711)", with the host where the node came by hand.
    [[nodiscard]] std::string label() const;
    /// The last known place of the node in its job, as in " in epoch 1, step 312".
    [[nodiscard]] std::string position() const;
};

}  // namespace convoy
