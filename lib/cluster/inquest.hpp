#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "cluster/failure.hpp"
#include "cluster/member.hpp"

namespace convoy {

/// The search for the cause of a run's failure. When one node fails, the others soon lose it, and their
/// reports may come first: evidence is collected for a while before one failure is blamed. Part of the
/// membership machine.
class Inquest {
  public:
    /// Something went wrong. Without effect once the inquest is over.
    void note(Failure failure);
    /// Nodes may go from now on: an end is no failure any more.
    void end() { over_ = true; }
    /// Whether something went wrong.
    [[nodiscard]] bool has_failures() const { return !failures_.empty(); }

    /// Begins to collect evidence, until the cause is known or a second has passed.
    void open(TimePoint now);
    /// Whether all the evidence is there.
    [[nodiscard]] bool is_complete(TimePoint now) const;
    [[nodiscard]] std::optional<TimePoint> next_due() const { return closes_; }

    /// The failure to blame, once the evidence is complete; there must be one. A live node answers a ping at
    /// once: a node that still owes its answer hangs. A node that answers but has reported nothing, where
    /// others waited in vain, took no part. deadline_s is the spec's, for the text.
    [[nodiscard]] messages::Problem conclude(std::span<const Member> members, double deadline_s) const;

  private:
    [[nodiscard]] bool cause_is_known() const;

    std::vector<Failure> failures_;  ///< in order of arrival
    std::optional<TimePoint> closes_;
    bool over_ = false;
};

}  // namespace convoy
