#pragma once

#include <cstddef>

#include "base/clock.hpp"
#include "cluster/agreement.hpp"
#include "cluster/checkpoint_gathering.hpp"
#include "cluster/inquest.hpp"
#include "cluster/interruption.hpp"
#include "cluster/roster.hpp"

namespace convoy {

/// Answers the messages of members while they work: agreement, checkpoints, the common last step, results.
/// Part of the membership machine.
class Proceedings {
  public:
    explicit Proceedings(std::size_t nodes) : agreement_(nodes), interruption_(nodes), checkpoints_(nodes) {}

    /// Handles a message of a member. It adds replies to the actions of the roster, and failures to the
    /// inquest. Throws an Error if the member may not send this message now.
    void hear(Member& member, MemberMessage message, Roster& roster, Inquest& inquest, TimePoint now);
    /// Notes a failure if the fingerprints of a node are missing for too long.
    void check_agreement(Roster& roster, Inquest& inquest, TimePoint now, double deadline_s);

    /// Notes that the user interrupted the run.
    void interrupt() { interruption_.signal(); }
    /// The number of interruptions by the user.
    [[nodiscard]] int interruptions() const { return interruption_.signals(); }

  private:
    Agreement agreement_;
    Interruption interruption_;
    CheckpointGathering checkpoints_;

    struct Hearing;  ///< one message, and the objects that its handling needs
};

}  // namespace convoy
