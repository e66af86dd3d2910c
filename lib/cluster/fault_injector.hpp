#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cluster/control_links.hpp"
#include "cluster/launcher.hpp"
#include "cluster/membership.hpp"
#include "cluster/node_processes.hpp"
#include "cluster/node_starter.hpp"
#include "cluster/pending_faults.hpp"

namespace convoy {

/// Does the faults of a spec to the nodes of a run, and tells the observer of those that happened. Nodes do
/// the faults of a step to themselves; the launcher does those of a time. A place is the rank that a node had
/// at the beginning of the run.
class FaultInjector {
  public:
    /// What it works with. All outlive it; the membership may be replaced by the next one.
    struct Parts {
        const Membership& membership;
        const NodeProcesses& processes;
        NodeStarter& starter;
        ControlLinks& links;
        LaunchObserver& observer;
    };
    FaultInjector(PendingFaults faults, const Parts& parts) : faults_(std::move(faults)), parts_(parts) {}

    [[nodiscard]] std::vector<FaultSpec> at_steps_of(std::int64_t place) const {
        return faults_.at_steps_of(place);
    }
    /// See PendingFaults.
    void note_training(TimePoint now) { faults_.note_training(now); }
    void note_disturbance() { faults_.note_disturbance(); }

    /// A node has told that it suffers its fault of this step.
    void node_suffers(std::int64_t rank, std::int64_t step);
    /// The time of the next fault of a time. Absent: none may come now.
    [[nodiscard]] std::optional<TimePoint> next_due() const;
    /// Does the faults whose time has come.
    void do_due();

  private:
    void do_to(const TimedFault& fault, std::int64_t rank);
    /// The last step that any member has told; 0: none.
    [[nodiscard]] std::int64_t told_step() const;

    PendingFaults faults_;
    Parts parts_;
};

}  // namespace convoy
