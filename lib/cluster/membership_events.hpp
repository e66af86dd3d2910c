#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "cluster/control_messages.hpp"

namespace convoy {

/// Names one connection to the launcher. No number is used twice in a run.
using ConnectionId = std::uint64_t;

/// The events of the membership machine. Each comes with the time at which it happened.
namespace event {

/// The process of a rank runs.
struct ProcessStarted {
    std::int64_t rank = 0, pid = 0;
};
/// The process of a rank cannot be started.
struct StartFailed {
    std::int64_t rank = 0;
    messages::Problem problem;
};
/// The process of a rank ended.
struct ProcessEnded {
    std::int64_t rank = 0;
    std::string how;          ///< as in "ended with exit code 3"
    bool well = false;        ///< exit code 0
    std::string reason = {};  ///< the process's own words about its error; empty if it said none
};
/// Somebody connected. A connection through the door has proved nothing yet.
struct Connected {
    ConnectionId connection = 0;
    std::string host;  ///< the address that the connection comes from
    /// The rank for whose process the launcher made the connection; absent: it came through the door.
    std::optional<std::int64_t> rank = {};
};
/// The first message of a connection, which asks to join. Its sender belongs to the run: the launcher made
/// the connection, or the sender has proved that it knows the run's token.
struct HelloCame {
    ConnectionId connection = 0;
    messages::Hello hello;
};
/// A later message of a connection.
struct Said {
    ConnectionId connection = 0;
    MemberMessage message;
};
/// The other side, or the network, ended a connection.
struct Closed {
    ConnectionId connection = 0;
    std::string how;  ///< one line for the user
};
/// A connection carried bytes that are not a message of the protocol.
struct Garbled {
    ConnectionId connection = 0;
    messages::Problem problem;
};
/// The gathered checkpoint is on disk, or could not be written.
struct CheckpointKept {};
/// A node is ready to join the members. They go on with it after a common step, or when they go on after a
/// loss.
struct NewcomerWaits {};
/// None is ready any more.
struct NewcomerLeft {};
/// The user interrupted the run.
struct Signalled {};
/// The launcher cannot keep what the nodes train: they are to stop as after a signal of the user. Signals
/// before and behind it count as without it.
struct StopWanted {};
/// The launcher met an error of its own that no other event describes.
struct LauncherFailed {};
/// Time has passed. The event comes at the time of Membership::next_due(), or later.
struct TimePassed {};

}  // namespace event

using MembershipEvent =
    std::variant<event::ProcessStarted, event::StartFailed, event::ProcessEnded, event::Connected,
                 event::HelloCame, event::Said, event::Closed, event::Garbled, event::CheckpointKept,
                 event::NewcomerWaits, event::NewcomerLeft, event::Signalled, event::StopWanted,
                 event::LauncherFailed, event::TimePassed>;

}  // namespace convoy
