#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "cluster/member.hpp"
#include "cluster/messages.hpp"
#include "cluster/roster.hpp"

namespace convoy {

/// How a run goes on with other members.
struct Regrouping {
    std::vector<std::int64_t> ranks;  ///< of the members that are left, ascending
    /// The last step that any of them has committed; all go on after it. If workers take steps apart, the
    /// last step that all of them have done.
    std::int64_t step = 0;
    /// Those of them that have not committed it, and need the state of another. None if workers take steps
    /// apart.
    std::vector<std::int64_t> behind;
    std::vector<std::int64_t> steps;  ///< of each of `ranks`: the last step that it has committed
    bool in_vain = false;             ///< no member was lost, and none joins
    int signals = 0;                  ///< of the user, of which the members were not told
    bool stop_wanted = false;         ///< by the launcher; the same
    bool has_results = false;         ///< members have sent results of steps
};

/// Gathers the members between two steps, after a loss or before a node joins. A sum of gradients needs all
/// members, so after a loss two of them differ by one step at most: one has all sums of a step, and another
/// has lost the sum. Workers that take steps apart, by way of servers, all go on from their own steps. Part
/// of the membership machine.
class Suspension {
  public:
    /// apart: the members take steps apart.
    explicit Suspension(bool apart) : apart_(apart) {}

    /// A member is lost, for this reason. patience: the time in which the others must stand still.
    void begin(TimePoint now, Clock::duration patience, messages::Problem cause, Roster& roster);
    /// All members are to stand still for a node that joins, within this time.
    void begin_pause(TimePoint now, Clock::duration patience, std::span<const Member> members);
    /// One more member is lost: its process ends, and its connection closes.
    void lose(Member& member, Roster& roster);
    [[nodiscard]] std::optional<TimePoint> next_due() const { return due_; }

    /// Whether the time is over in which the members should stand still. True once.
    bool ends_patience(TimePoint now);
    /// Whether the member's job has used processor time meanwhile: it is in the middle of something long, an
    /// evaluation for instance.
    [[nodiscard]] bool works(const Member& member) const;
    /// The same time once more, for members that work.
    void wait_longer(TimePoint now, std::span<const Member> members);
    /// A server is lost, for this reason: the run cannot go on.
    void end_by(messages::Problem cause) { cause_ = std::move(cause); }
    /// The reason why the members stand still.
    [[nodiscard]] const messages::Problem& cause() const { return cause_; }
    /// The reason of the first loss, if the run cannot go on: nobody is left, or a server is lost, a member
    /// is beyond its last step or ends with an error, or the run stops anyway. Absent if it may go on.
    [[nodiscard]] std::optional<messages::Problem> in_vain(std::span<const Member> members, bool stops) const;
    /// How the run goes on. Absent as long as a lost process is there, or a member does not stand still yet.
    /// If a member is behind, or a node joins, it asks another one for its state, and is absent until that
    /// has come.
    std::optional<Regrouping> regroup(Roster& roster, bool node_joins);

  private:
    /// As regroup, where each member goes on from its own step.
    [[nodiscard]] static Regrouping regroup_apart(const Roster& roster, Regrouping found);

    bool apart_;
    std::optional<TimePoint> due_;
    Clock::duration patience_{};
    std::vector<double> busy_us_;  ///< of each member when the time began
    messages::Problem cause_;
    std::optional<std::int64_t> asked_;  ///< the rank that was asked for its state
};

}  // namespace convoy
