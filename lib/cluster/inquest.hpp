#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "cluster/failure.hpp"
#include "cluster/member.hpp"

namespace convoy {

/// Searches for the cause of a run's failure. When one node fails, the other nodes soon lose it, and their
/// reports may come first. So evidence is collected for a while, before one failure is named as the cause.
/// Part of the membership machine.
class Inquest {
  public:
    /// The time for evidence: an exit status, which node is silent, or the cause as nodes tell it. They tell
    /// their peers first, which takes up to usual_grace (net/fabric.hpp).
    static constexpr std::chrono::milliseconds time_for_evidence{1600};

    /// Notes a failure. It has no effect after end().
    void note(Failure failure);
    /// Ends the inquest. From now on nodes may leave, and this is not a failure.
    void end() { over_ = true; }
    /// Whether a failure was noted.
    [[nodiscard]] bool has_failures() const { return !failures_.empty(); }

    /// Begins to collect evidence. It is complete when the cause is known, when a node was silent for the
    /// deadline, or when time_for_evidence has passed.
    void open(TimePoint now);
    /// Whether the cause is known for certain.
    [[nodiscard]] bool cause_is_known() const;
    /// Whether the evidence is complete.
    [[nodiscard]] bool is_complete(TimePoint now) const;
    [[nodiscard]] std::optional<TimePoint> next_due() const { return closes_; }

    /// Names the cause, after the evidence is complete. There must be a failure. A live node answers a ping
    /// at once, so a node whose answer is missing hangs. A node that answers and has reported no error took
    /// no part, if other nodes waited in vain. deadline_s: the deadline of the spec, for the text.
    [[nodiscard]] Failure conclude(std::span<const Member> members, double deadline_s) const;

  private:
    std::vector<Failure> failures_;  ///< in order of arrival
    std::optional<TimePoint> closes_;
    bool over_ = false;
};

}  // namespace convoy
