#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/checkpoint_keeper.hpp"
#include "cluster/control_links.hpp"
#include "cluster/harvest.hpp"
#include "cluster/launcher.hpp"
#include "cluster/membership.hpp"
#include "cluster/newcomers.hpp"
#include "cluster/node_starter.hpp"
#include "cluster/user_signals.hpp"
#include "hosts/emulated_hosts.hpp"

namespace convoy {

/// One run of launch(). It gives events to the membership machine, and carries out the machine's actions with
/// starters, connections, timers and signals. Everything runs on one thread. Only lib/cluster's sources
/// include this.
class Launch {
  public:
    Launch(const LaunchOptions& options, LaunchObserver& observer);
    Launch(const Launch&) = delete;
    Launch& operator=(const Launch&) = delete;
    Launch(Launch&&) = delete;
    Launch& operator=(Launch&&) = delete;
    ~Launch() = default;
    RunOutcome run();

  private:
    /// A node's process, which keeps its connection when the node gets another rank.
    struct OwnProcess {
        std::int64_t number = 0;  ///< the rank for which it was started
        std::int64_t pid = 0;
        ConnectionId connection = 0;
        bool needs_state = false;  ///< it has joined, or is a step behind
        std::int64_t step = 0;     ///< the last step that it has done, when the node gets another rank
    };

    void start();
    /// The starter of the nodes that do not join at the door.
    [[nodiscard]] std::unique_ptr<NodeStarter> make_own_starter();
    [[nodiscard]] std::unique_ptr<NodeStarter> make_local_starter();
    void finish();
    /// Begins the next membership, if the last one is over since its nodes change. Returns whether it did.
    bool go_on();
    /// The processes of the next membership, by rank: those that are left, and those that wait to join.
    [[nodiscard]] std::vector<OwnProcess> next_processes();
    void replace_lost();

    // Processes that are started in the place of lost ones, before they join
    void start_newcomers();
    void wait_for_newcomer(std::int64_t number);
    /// Handles an event of their connections. Returns whether it was one.
    bool hear_newcomer(const MembershipEvent& event);
    void end_newcomer(std::int64_t number, const std::string& how);
    /// The rank of the node that was started for rank `number`. Absent: it was lost.
    [[nodiscard]] std::optional<std::int64_t> rank_of(std::int64_t number) const;
    [[nodiscard]] MembershipOptions membership_options() const;
    void hear(MembershipEvent event);

    /// Gives the machine an event, and carries out the actions that follow.
    void deliver(MembershipEvent event);
    void handle_all();
    void carry_out(MembershipActions actions);
    void note_bug();
    void wait_for_time();
    void note_kept(const std::optional<std::string>& problem);
    /// Removes the emulated hosts. Returns a line for each part that could not be removed.
    std::vector<std::string> remove_hosts();
    [[nodiscard]] RunOutcome outcome(bool interrupted, std::vector<std::string> leftovers);

    void perform(const action::Start& start);
    void perform(const action::EndProcess& end);
    void perform(const action::CloseDoor& close);
    void perform(const action::Admit& admit);
    void perform(const action::Refuse& refuse);
    void perform(const action::Close& close);
    void perform(const action::Send& send);
    void perform(const action::Assign& assign);
    void perform(action::TakeRecords& take);
    void perform(action::TakeWeights& take);
    void perform(action::TakeCheckpoint& take);
    void perform(action::TakeState& take);
    void perform(const action::KeepCheckpoint& keep);
    void perform(const action::ShowProgress& show);
    void perform(const action::TellLost& tell);
    void perform(const action::TellFault& tell);
    void perform(const action::TellAgreed& tell);
    void perform(const action::Notice& notice);

    // Faults of the spec
    [[nodiscard]] std::optional<TimePoint> next_fault() const;
    /// Does the random faults whose time has come.
    void do_timed_faults();
    void do_timed_fault(const TimedFault& fault, std::int64_t rank);
    /// The last step that any member has told; 0: none.
    [[nodiscard]] std::int64_t told_step() const;

    /// Starts the process of a place, and hands its connection on. Throws ClusterError.
    std::optional<StartedNode> start_process(std::int64_t number, std::optional<int> threads);
    void note_end(std::int64_t number, const NodeProcessEnd& end);
    [[nodiscard]] NodeStarter& starter_of(std::int64_t number);
    [[nodiscard]] std::optional<NodeCheckpoint> resume_of(std::int64_t rank) const;
    [[nodiscard]] std::vector<FaultSpec> faults_of(std::int64_t rank) const;
    /// How the members go on, if they have changed and take steps apart.
    [[nodiscard]] std::optional<GoingApart> going_apart() const;

    boost::asio::io_context io_;
    UserSignals signals_;  ///< its last signals are let go when all that follows is gone
    const LaunchOptions& options_;
    LaunchObserver& observer_;
    std::string token_;
    RunId run_ = random_run_id();
    std::vector<Seat> all_seats_;  ///< of the run's first nodes
    std::vector<Seat> seats_;      ///< by rank

    std::vector<FaultSpec> faults_left_;  ///< that have not happened; their nodes are places
    /// The members have agreed on their work, and none of them has had a random fault since.
    bool trains_ = false;
    ExperimentSpec spec_;                ///< of the nodes that there are
    std::vector<OwnProcess> processes_;  ///< by rank
    std::int64_t generation_ = 0;
    Regrouping regrouping_;  ///< that led to this generation
    /// How often in a row all nodes have gone on from a step, and from which.
    std::int64_t in_vain_ = 0;
    std::optional<std::int64_t> in_vain_at_;
    std::optional<NodeCheckpoint> state_;  ///< for nodes that need it
    Newcomers newcomers_;

    Membership membership_;
    Harvest harvest_;
    std::vector<std::string> warnings_;

    boost::asio::steady_timer timer_;
    std::optional<EmulatedHosts> hosts_;  ///< they outlive the nodes on them
    ControlLinks links_;
    boost::asio::ip::address address_;  ///< of this machine for the nodes of the run
    std::unique_ptr<NodeStarter> own_;
    HandStarter by_hand_;
    std::deque<MembershipEvent> events_;  ///< events that the machine has not received yet
    bool handling_ = false;
    std::exception_ptr bug_;
    CheckpointKeeper keeper_;  ///< last: it ends before what it uses
};

}  // namespace convoy
