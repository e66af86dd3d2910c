#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "job/node_job.hpp"
#include "measure/records.hpp"
#include "report/run_record.hpp"

namespace convoy {

/// So many of the last steps of a node are kept, for its present speed.
inline constexpr std::size_t recent_steps = 32;

/// What the records of one node add up to.
struct NodeFigures {
    std::int64_t steps = 0;      ///< that it has told
    std::int64_t last_step = 0;  ///< the number of the last of these, over the run; 0: none
    std::int64_t examples = 0, correct = 0;
    double step_us = 0.0, compute_us = 0.0, wait_us = 0.0;
    std::deque<StepRecord> recent = {};  ///< the last recent_steps steps
    /// Time of the operators, by their name, that ran by themselves.
    std::map<std::pair<RunPhase, std::string>, double> operators_us = {};
    std::optional<CommunicationTimes> exchanges = {};  ///< of training
    /// The last two readings of /proc.
    std::optional<SystemSample> reading = {}, reading_before = {};
    std::uint64_t peak_resident_bytes = 0;  ///< the largest reading; at the end that of the system
    /// Over its own connections. Absent: not known, as a library sends them.
    std::optional<std::uint64_t> sent_bytes = 0, received_bytes = 0;
    std::optional<NodeSummary> summary = {};    ///< without lists; absent before the node's end
    std::int64_t updates = 0, staleness = 0;    ///< servers' updates from its gradients, and their sum
    std::optional<NodeProgress> progress = {};  ///< the last one
};

/// The sums of an epoch over the nodes that have told it.
struct OpenEpoch {
    NodeEpochRecord sums = {};
    std::int64_t nodes = 0;  ///< of the ranks that there are now
};

/// A run under way in a few figures: what its records add up to, and the last progress. Its memory grows with
/// the nodes, and not with the steps.
struct RunFigures {
    std::int64_t ranks = 0;                          ///< that the run has now
    std::map<std::int64_t, NodeFigures> nodes = {};  ///< by rank, also of ranks that were lost
    /// The last epoch that all ranks have told, and later ones.
    std::map<std::int64_t, OpenEpoch> epochs = {};
    std::int64_t last_epoch = 0;                        ///< the last one that all ranks have told; 0: none
    std::map<std::string, std::int64_t> failures = {};  ///< rows of failures.csv, by `fault`

    /// Adds a part of the records of a node.
    void add(const NodeRecords& part);
    /// Notes how far a node is.
    void note(const NodeProgress& progress);
    /// From now on the run has so many ranks; progress of others is forgotten.
    void set_ranks(std::int64_t count);
    /// The scores and times of the last epoch that all ranks have told; absent before.
    [[nodiscard]] std::optional<EpochRecord> epoch() const;
    /// The progress of the first node that computes a loss, of any phase; null if no node has told any.
    [[nodiscard]] const NodeProgress* shown() const;

  private:
    void add_epoch(const NodeEpochRecord& row);
    void complete_epochs();
};

}  // namespace convoy
