#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cluster/messages.hpp"
#include "job/node_job.hpp"
#include "measure/records.hpp"

namespace convoy {

/// The messages that a member of the run sends to the launcher. PROTOCOL.md has their fields.
namespace said {
struct Agree {
    Fingerprints fingerprints;
};
struct Pong {
    std::uint64_t number = 0;
    double clock_us = 0.0;  ///< time of the worker's steady clock
    double busy_us = 0.0;   ///< processor time that the thread of its job has used
};
struct Weights {
    std::vector<std::byte> safetensors;
};
struct AtStep {
    std::int64_t step = 0;  ///< the last step that the node began
};
/// The node stands still, and keeps its state after `step` steps.
struct Suspended {
    std::int64_t step = 0;
    std::optional<messages::Problem> problem;  ///< it lost a peer; absent: after the common step of a pause
};
struct State {
    NodeCheckpoint checkpoint;
};
/// The node is about to do the fault to itself that the spec has at this step, and waits until this is noted.
struct FaultComes {
    std::int64_t step = 0;
};
struct Done {
    bool stopped = false;
};
struct Failed {
    messages::Problem problem;
};
/// A message of a type that this convoy does not know.
struct Unknown {
    std::string type;
};
}  // namespace said

using MemberMessage = std::variant<said::Agree, said::Pong, NodeProgress, NodeRecords, said::Weights,
                                   NodeCheckpoint, said::AtStep, said::Suspended, said::State,
                                   said::FaultComes, said::Done, said::Failed, said::Unknown>;

/// The messages that the launcher sends to a worker, apart from the assignment (see messages::Assign).
namespace told {
struct Welcome {};
struct Ping {
    std::uint64_t number = 0;
};
struct Agreed {};
struct Kept {};
struct Stop {};
struct StopAfter {
    std::int64_t step = 0;
};
struct Pause {};
struct PauseAfter {
    std::int64_t step = 0;
};
struct Suspend {};
struct GiveState {};
struct FaultNoted {};
/// The node is to be cut off from all others: a random fault.
struct Partition {};
struct Bye {};
struct Abort {
    messages::Problem problem;
};
}  // namespace told

using LauncherMessage =
    std::variant<told::Welcome, told::Ping, told::Agreed, told::Kept, told::Stop, told::StopAfter,
                 told::Pause, told::PauseAfter, told::Suspend, told::GiveState, told::FaultNoted,
                 told::Partition, told::Bye, told::Abort>;

/// Decodes a message of a member. Throws DataError if a field is missing or wrong.
MemberMessage decode_member_message(const nlohmann::json& message);

/// Encodes a message of the launcher.
nlohmann::json encode(const LauncherMessage& message);
/// Decodes one. Throws DataError if a field is missing or wrong, DisagreementError for any other type, also
/// `assign`.
LauncherMessage decode_launcher_message(const nlohmann::json& message);

}  // namespace convoy
