#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cluster/control_messages.hpp"
#include "cluster/launcher.hpp"
#include "cluster/membership_events.hpp"

namespace convoy {

/// The actions that the membership machine asks for. Adaptors carry them out in order.
namespace action {

/// Start the process of a rank. Its starter answers with ProcessStarted or StartFailed; it gives no answer
/// for a node that is started by hand.
struct Start {
    std::int64_t rank = 0;
    std::optional<int> threads;  ///< compute threads; absent: the number of cores in the node's hello
};
/// End the process of a rank.
struct EndProcess {
    std::int64_t rank = 0;
    bool by_force = false;  ///< SIGKILL and not SIGTERM
};
/// Take no more connections.
struct CloseDoor {};
/// This connection belongs to a member now: its messages may be large.
struct Admit {
    ConnectionId connection = 0;
    std::string label;  ///< names the member in errors, as in "node 2 (pid 4711)"
};
/// Send the problem, if the other side has proved itself, and then close the connection.
struct Refuse {
    ConnectionId connection = 0;
    messages::Problem problem;
};
/// Close the connection without a message.
struct Close {
    ConnectionId connection = 0;
};
/// Send a message.
struct Send {
    ConnectionId connection = 0;
    LauncherMessage message;
};
/// Send the assignment, with the spec, and with the rank's checkpoint if the run is resumed.
struct Assign {
    ConnectionId connection = 0;
    std::int64_t rank = 0;
    int threads = 1;
    int layout_threads = 1;
    std::vector<std::string> peers = {};  ///< HOST:PORT of each rank
};
/// Keep a piece of a member's records.
struct TakeRecords {
    std::int64_t rank = 0;
    NodeRecords records;
};
/// Keep the trained weights.
struct TakeWeights {
    std::int64_t rank = 0;
    std::vector<std::byte> safetensors;
};
/// Keep a member's checkpoint until all members have sent theirs.
struct TakeCheckpoint {
    std::int64_t rank = 0;
    NodeCheckpoint checkpoint;
};
/// Keep a member's state for the members that are a step behind it.
struct TakeState {
    std::int64_t rank = 0;
    NodeCheckpoint state;
};
/// Write the checkpoints of all members to disk. All are of the same step. The answer is CheckpointKept.
struct KeepCheckpoint {
    std::int64_t step = 0;
};
/// Show the progress of a member.
struct ShowProgress {
    NodeProgress progress;
};
/// Tell that the run ends since a node was lost.
struct TellLost {
    LostNode lost;
};
/// Tell that a member is about to do the fault to itself that the spec has at this step.
struct TellFault {
    std::int64_t rank = 0, step = 0;
};
/// Tell that all members have agreed on their work, and train.
struct TellAgreed {};
/// Show a line to the user.
struct Notice {
    std::string line;
};

}  // namespace action

using MembershipAction =
    std::variant<action::Start, action::EndProcess, action::CloseDoor, action::Admit, action::Refuse,
                 action::Close, action::Send, action::Assign, action::TakeRecords, action::TakeWeights,
                 action::TakeCheckpoint, action::TakeState, action::KeepCheckpoint, action::ShowProgress,
                 action::TellLost, action::TellFault, action::TellAgreed, action::Notice>;

using MembershipActions = std::vector<MembershipAction>;

}  // namespace convoy
