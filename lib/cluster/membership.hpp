#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "cluster/departure.hpp"
#include "cluster/heartbeat.hpp"
#include "cluster/inquest.hpp"
#include "cluster/launcher_clock.hpp"
#include "cluster/membership_actions.hpp"
#include "cluster/membership_events.hpp"
#include "cluster/proceedings.hpp"
#include "cluster/roster.hpp"
#include "cluster/suspension.hpp"

namespace convoy {

/// What one membership is told: its seats, its deadlines, and what was so before it if it goes on after
/// another.
struct MembershipOptions {
    std::vector<Seat> seats;  ///< by rank; at least one
    double deadline_s = 30.0;
    double join_deadline_s = 30.0;  ///< for all nodes to join
    /// As `heartbeat` of Heartbeat; absent: a node is lost after the deadline.
    std::optional<double> heartbeat_s = {};
    /// The run goes on with the other nodes if one is lost in training. Then the launcher has all processes.
    bool shrinks = false;
    /// Members take steps apart: each goes on with its own state, and none is behind another.
    bool apart = false;
    bool begun = false;  ///< the nodes have worked before, with others
    /// The step after which the same nodes have stood still and gone on often enough, as they had lost each
    /// other. The next time, the run ends.
    std::optional<std::int64_t> waited_in_vain_at = {};
    /// A wish to stop that came while the nodes stood still before they went on together.
    int signals = 0;            ///< of the user
    bool stop_wanted = false;   ///< by the launcher
    bool has_results = false;   ///< nodes have sent results of steps before
    bool is_encrypted = false;  ///< all connections of the run are under TLS
};

/// How a run ended.
struct MembershipVerdict {
    /// The reason why the run failed; its results do not count then. Absent if the run is done or was
    /// interrupted.
    std::optional<messages::Problem> error;
    bool interrupted = false;  ///< the user ended the run; the results are of a part of it
};

/// The state machine of a run's members and phases: (state, event) -> (state, actions). It has no clock, no
/// connection and no process. The time comes with the events, and adaptors carry out the actions. Equal
/// histories lead to equal actions.
///
/// A run has phases: all nodes join, the nodes work, all clocks are probed once more, and the nodes leave.
/// After a failure, the machine searches for the cause for a while and then ends all nodes. If the run is to
/// go on without a lost node, or with one that joins, the machine gathers the members between two steps, and
/// is over; another machine goes on with those that the run has then.
class Membership {
  public:
    explicit Membership(MembershipOptions options);

    /// The first actions: start all nodes. Call it once, before any event.
    MembershipActions begin(TimePoint now);
    /// The actions that an event leads to. now never goes back. An event after the end leads to none. Time in
    /// which the machine was due (next_due) and received no event counts for no deadline: its process or its
    /// machine stood still.
    MembershipActions handle(MembershipEvent event, TimePoint now);
    /// The time at which the machine needs a TimePassed event, if no event comes before. Absent when the run
    /// is over.
    [[nodiscard]] std::optional<TimePoint> next_due() const;

    /// Whether the run is over. Then no member has a process or a connection, except a process that SIGKILL
    /// did not end within ten seconds.
    [[nodiscard]] bool is_over() const { return phase_ == Phase::over; }
    /// How the run ended, once it is over.
    [[nodiscard]] MembershipVerdict verdict() const;
    /// How the run goes on with other members, once it is over. Absent: it has ended. The members that are
    /// left keep their processes and connections.
    [[nodiscard]] const std::optional<Regrouping>& regrouping() const { return regrouping_; }
    [[nodiscard]] std::span<const Member> members() const { return roster_.members(); }
    /// Whether all members work, none of them is known to have failed, and none is about to stand still.
    [[nodiscard]] bool is_undisturbed() const {
        return phase_ == Phase::working && !proceedings_.is_pausing() && !inquest_.has_failures();
    }

  private:
    enum class Phase : std::uint8_t { forming, working, probing, searching, suspending, leaving, over };

    void on(const event::ProcessStarted& started);
    void on(const event::StartFailed& failed);
    void on(const event::ProcessEnded& ended);
    void on(const event::Connected& connected);
    void on(const event::HelloCame& came);
    void on(event::Said& said);
    void on(const event::Closed& closed);
    void on(const event::Garbled& garbled);
    void on(const event::CheckpointKept& kept);
    void on(const event::NewcomerWaits& waits);
    void on(const event::NewcomerLeft& left);
    void on(const event::Signalled& signalled);
    void on(const event::StopWanted& wanted);
    void on(const event::LauncherFailed& failed);
    void on(const event::TimePassed& passed);

    /// Goes to the next phase if the state allows it. Returns whether it did.
    bool advance();
    [[nodiscard]] std::optional<messages::Problem> reason_to_leave() const;
    bool advance_from_forming();
    bool advance_from_working();
    /// Asks the members to stand still for a node that joins, and is over when they do.
    bool advance_to_newcomer();
    bool advance_from_probing();
    bool advance_from_searching();
    bool advance_from_suspending();
    bool advance_from_leaving();
    void begin_search();
    /// Notes that a member is lost, or may be.
    void note_loss(Member& member, Failure failure);
    [[nodiscard]] bool is_of_server(const Failure& failure) const;
    /// The line of the error with which a failure ends the run.
    [[nodiscard]] std::string words_of(const Failure& failure) const;
    /// Whether the other members may go on without the one that is the cause.
    [[nodiscard]] bool may_go_on_without(const Failure& cause) const;
    void begin_suspension(const Failure& cause);
    /// Loses the members of a run that goes on that do not say hello again in time.
    void lose_absent();
    /// Loses the members that do not stand still in time.
    void lose_overdue();
    /// Is over if all members stand still, and what the next ones need has come.
    void end_if_gathered();
    /// Tells of a node that was lost, if that is the reason why the run ends.
    void tell_lost(const Failure& cause);
    void begin_departure(std::optional<messages::Problem> error);
    void push_out(bool by_force);

    [[nodiscard]] Clock::duration duration_of_deadline() const {
        return std::chrono::duration_cast<Clock::duration>(Seconds(deadline_s_));
    }
    /// Whether the members may be told to stop. Those that stand still hear of it when they go on.
    [[nodiscard]] bool may_tell_to_stop() const {
        return assigned_ && phase_ != Phase::suspending && !proceedings_.is_pausing();
    }
    /// Whether the run is under way, without a known failure.
    [[nodiscard]] bool is_running() const { return phase_ < Phase::searching; }
    [[nodiscard]] bool is_ending() const { return phase_ >= Phase::leaving; }

    double deadline_s_;
    double time_to_join_s_;
    double silence_s_;       ///< of a node that is lost, at most
    double told_silence_s_;  ///< of such a node, at least
    std::optional<std::int64_t> waited_in_vain_at_;
    bool shrinks_, begun_;
    Roster roster_;
    Proceedings proceedings_;
    Heartbeat heartbeat_;
    Inquest inquest_;
    Suspension suspension_;
    Departure departure_;
    LauncherClock clock_;

    Phase phase_ = Phase::forming;
    TimePoint join_by_;
    bool assigned_ = false;  ///< the members have received their assignments
    bool newcomer_waits_ = false;
    bool launcher_failed_ = false;
    std::optional<messages::Problem> error_;
    std::optional<Regrouping> regrouping_;
    std::optional<Failure> untold_;  ///< nodes lost each other, and none of them is known to be lost
};

}  // namespace convoy
