#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "cluster/control_links.hpp"
#include "cluster/launcher.hpp"
#include "cluster/member.hpp"
#include "cluster/membership_events.hpp"
#include "cluster/newcomers.hpp"
#include "cluster/node_starter.hpp"

namespace convoy {

/// Starts the processes in the place of lost ones, and hears their connections until they join: the adaptor
/// of Newcomers. A newcomer gets its work with the next members; the membership machine does not know it
/// before.
class NewcomerProcesses {
  public:
    /// What it uses, which outlives it.
    struct Means {
        const LaunchOptions& options;
        LaunchObserver& observer;
        NodeStarter& starter;
        ControlLinks& links;
        /// Of a process that it starts. on_end leads to a call of ended.
        std::function<NodeWatch(std::int64_t place)> watch;
        /// Takes NewcomerWaits and NewcomerLeft.
        std::function<void(MembershipEvent)> deliver;
        std::function<bool()> run_is_over;
    };
    /// seats: of the run's first nodes.
    NewcomerProcesses(Means means, std::vector<Seat> seats);

    /// The run has gone on after this step, without or with others.
    void note_step(std::int64_t step) { step_ = step; }
    /// The run goes on without the process of a place. Another one is due after a pause, if the spec says so.
    void wait_for(std::int64_t place);
    [[nodiscard]] std::optional<TimePoint> next_due() const { return newcomers_.next_due(); }
    /// Starts the processes that are due, and ends those that have not said hello in time.
    void start_due();
    /// Handles an event of their connections. Returns whether it was one. event: not Connected of a node that
    /// goes on, whose new rank may be the place of a newcomer.
    bool hear(const MembershipEvent& event);
    /// The process of a place has ended before it joined, or could not be started.
    void ended(std::int64_t place, const std::string& how);
    /// Ends all of them, by force.
    void end_all();

    /// Whether the process of this place was started, and has not joined yet.
    [[nodiscard]] bool is_started(std::int64_t place) const { return newcomers_.is_started(place); }
    [[nodiscard]] bool is_any_ready() const { return newcomers_.is_any_ready(); }
    std::vector<Newcomers::Ready> take_ready() { return newcomers_.take_ready(); }

  private:
    bool hear(const event::Connected& connected);
    bool hear(const event::HelloCame& came);
    /// A connection that has ended, or carried no message.
    bool end_of(ConnectionId connection);

    Means means_;
    std::vector<Seat> seats_;
    Newcomers newcomers_;
    std::int64_t step_ = 0;
};

}  // namespace convoy
