#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/checkpoint_keeper.hpp"
#include "cluster/control_links.hpp"
#include "cluster/event_pump.hpp"
#include "cluster/fault_injector.hpp"
#include "cluster/generation.hpp"
#include "cluster/harvest.hpp"
#include "cluster/launcher.hpp"
#include "cluster/membership.hpp"
#include "cluster/newcomer_processes.hpp"
#include "cluster/node_starter.hpp"
#include "cluster/run_starter.hpp"
#include "cluster/user_signals.hpp"

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
    void start();
    void finish();
    [[nodiscard]] EventPump::Machine machine();
    /// Does what is due when the membership has no event left. Returns whether it began another membership.
    bool settle();
    /// When the membership, a newcomer or a fault is due next.
    [[nodiscard]] std::optional<TimePoint> next_due() const;
    /// Begins the next membership, if the last one is over since its nodes change. Returns whether it did.
    bool go_on();
    /// Waits for other processes in the place of those that were lost.
    void replace_lost(const Regrouping& regrouping);
    void hear(MembershipEvent event);

    void deliver(MembershipEvent event) { pump_.deliver(std::move(event)); }
    void carry_out(MembershipActions actions);
    void note_kept(const std::optional<std::string>& problem);
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

    [[nodiscard]] NodeWatch watch_of(std::int64_t place);
    void note_end(std::int64_t place, const NodeProcessEnd& end);

    boost::asio::io_context io_;
    UserSignals signals_;  ///< its last signals are let go when all that follows is gone
    const LaunchOptions& options_;
    LaunchObserver& observer_;
    std::string token_;
    Generation generation_;
    Membership membership_;
    Harvest harvest_;
    std::vector<std::string> warnings_;

    EventPump pump_;
    ControlLinks links_;
    RunStarter starter_;
    NewcomerProcesses newcomers_;
    FaultInjector faults_;
    CheckpointKeeper keeper_;  ///< last: it ends before what it uses
};

}  // namespace convoy
