#pragma once

#include <cstddef>
#include <optional>

#include "base/clock.hpp"
#include "cluster/agreement.hpp"
#include "cluster/checkpoint_gathering.hpp"
#include "cluster/common_step.hpp"
#include "cluster/inquest.hpp"
#include "cluster/interruption.hpp"
#include "cluster/roster.hpp"
#include "cluster/standstill_watch.hpp"

namespace convoy {

/// Answers the messages of members while they work: agreement, checkpoints, the common last step, results.
/// Part of the membership machine.
class Proceedings {
  public:
    explicit Proceedings(std::size_t nodes)
        : agreement_(nodes), standstill_(nodes), interruption_(nodes), checkpoints_(nodes) {}

    /// Handles a message of a member. It adds replies to the actions of the roster, and failures to the
    /// inquest. Throws an Error if the member may not send this message now.
    void hear(Member& member, MemberMessage message, Roster& roster, Inquest& inquest, TimePoint now);
    /// Counts a heartbeat, and notes a failure if the nodes do not get ready to train: the fingerprints of
    /// one are missing for too long, or no node does anything; or if the only node that has not finished does
    /// nothing. most_beats: the heartbeats in deadline_s.
    void check_work(Roster& roster, Inquest& inquest, int most_beats, double deadline_s);

    /// Asks all members to stand still after a common step, so that a node can join.
    void pause(Roster& roster);
    [[nodiscard]] bool is_pausing() const { return pause_.has_value(); }

    /// Notes that the user interrupted the run.
    void interrupt() { interruption_.signal(); }
    /// Notes that the launcher wants the nodes to stop.
    void want_stop() { interruption_.want_stop(); }
    /// The number of interruptions by the user.
    [[nodiscard]] int interruptions() const { return interruption_.signals(); }
    /// Whether the nodes were asked to stop, by the user or by the launcher.
    [[nodiscard]] bool is_stopping() const { return interruption_.is_wanted(); }
    /// Whether the launcher wants the nodes to stop.
    [[nodiscard]] bool is_stop_wanted() const { return interruption_.is_stop_wanted(); }
    /// Whether the user interrupted the run before any node had begun a step.
    [[nodiscard]] bool nothing_begun() const { return interruption_.came_before_first_step(); }
    /// Whether all nodes have agreed on their work, and so may train.
    [[nodiscard]] bool have_agreed() const { return have_agreed_; }
    void note_results() { has_results_ = true; }
    /// Notes that the last checkpoint is on disk, or could not be written.
    void note_kept() { is_keeping_ = false; }
    /// Whether a node has sent results of steps.
    [[nodiscard]] bool has_results() const { return has_results_; }

  private:
    Agreement agreement_;
    StandstillWatch standstill_;  ///< before the first fingerprints
    Interruption interruption_;
    std::optional<CommonStep> pause_;
    CheckpointGathering checkpoints_;
    bool have_agreed_ = false, has_results_ = false;
    bool is_keeping_ = false;  ///< a checkpoint is on its way to the disk, and nodes may wait for it

    struct Hearing;  ///< one message, and the objects that its handling needs
};

}  // namespace convoy
