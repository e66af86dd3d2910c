#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cluster/launcher.hpp"
#include "cluster/membership.hpp"
#include "cluster/membership_actions.hpp"
#include "cluster/messages.hpp"
#include "cluster/newcomers.hpp"
#include "cluster/node_processes.hpp"

namespace convoy {

/// The nodes that a run has between two changes of its nodes, and their work: seats, processes, and where
/// they go on. The first generation has number 0.
class Generation {
  public:
    /// options: outlives it.
    explicit Generation(const LaunchOptions& options);

    /// The run goes on with those that stand still, and with newcomers. members: of the membership that is
    /// over.
    void go_on(const Regrouping& regrouping, std::span<const Member> members,
               std::span<const Newcomers::Ready> newcomers);

    [[nodiscard]] std::int64_t number() const { return number_; }
    [[nodiscard]] const RunId& run() const { return run_; }
    /// By rank.
    [[nodiscard]] std::span<const Seat> seats() const { return seats_; }
    [[nodiscard]] NodeProcesses& processes() { return processes_; }
    [[nodiscard]] const NodeProcesses& processes() const { return processes_; }
    /// Workers take steps apart.
    [[nodiscard]] bool is_apart() const { return is_asynchronous(spec_.strategy); }
    [[nodiscard]] MembershipOptions membership_options() const;
    [[nodiscard]] GoesOn going_on() const;

    /// The state that a node gave for those that need it.
    void take_state(NodeCheckpoint state) { state_ = std::move(state); }
    /// All that need it have it.
    void drop_state() { state_.reset(); }
    [[nodiscard]] bool has_state_of(std::int64_t step) const { return state_ && state_->step == step; }
    /// The work of a node, without run_key. faults: of the spec, that it will do to itself.
    [[nodiscard]] messages::Assign assignment(const action::Assign& assign,
                                              std::vector<FaultSpec> faults) const;

  private:
    [[nodiscard]] std::optional<NodeCheckpoint> resume_of(std::int64_t rank) const;
    /// How the members go on, if they have changed and take steps apart.
    [[nodiscard]] std::optional<GoingApart> going_apart() const;

    const LaunchOptions& options_;
    std::vector<Seat> first_seats_;
    std::vector<Seat> seats_;
    ExperimentSpec spec_;  ///< of these nodes
    NodeProcesses processes_;
    RunId run_ = random_run_id();
    std::int64_t number_ = 0;
    Regrouping regrouping_;  ///< that led to it
    /// How often in a row all nodes have gone on from a step, and from which.
    std::int64_t in_vain_ = 0;
    std::optional<std::int64_t> in_vain_at_;
    std::optional<NodeCheckpoint> state_;
};

}  // namespace convoy
