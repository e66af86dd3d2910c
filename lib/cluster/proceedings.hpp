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

    /// A member says something. Replies are asked of the roster, and failures are noted in the inquest.
    /// Throws an Error where the member may not say that.
    void hear(Member& member, MemberMessage message, Roster& roster, Inquest& inquest, TimePoint now);
    /// Notes a failure where a node owes its fingerprint for too long.
    void check_agreement(Roster& roster, Inquest& inquest, TimePoint now, double deadline_s);

    /// The user interrupted the run.
    void interrupt() { interruption_.signal(); }
    /// How often the user interrupted the run.
    [[nodiscard]] int interruptions() const { return interruption_.signals(); }

  private:
    Agreement agreement_;
    Interruption interruption_;
    CheckpointGathering checkpoints_;

    struct Hearing;  ///< one message, with all that its handling needs
};

}  // namespace convoy
