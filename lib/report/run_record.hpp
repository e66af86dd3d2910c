#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "measure/records.hpp"
#include "measure/run_status.hpp"

namespace convoy {

/// The limits of one emulated host. Absent: no limit.
struct EmulatedHost {
    std::optional<double> link_mbit = {};
    std::optional<double> cpu = {};  ///< in cores
    std::optional<std::int64_t> memory_mb = {};
    bool operator==(const EmulatedHost&) const = default;
};

/// The emulated hosts of a run's nodes, and their common limits.
struct EmulatedCluster {
    std::int64_t hosts = 0;
    /// Absent: no limit, or not the same limit for all hosts. The same holds for cpu and memory_mb.
    std::optional<double> link_mbit = {};
    std::optional<double> cpu = {};  ///< in cores
    std::optional<std::int64_t> memory_mb = {};
    std::vector<EmulatedHost> unlike = {};  ///< the limits of each host if hosts differ, else empty
    bool operator==(const EmulatedCluster&) const = default;

    /// The cluster as text: "5 emulated hosts (1000 Mbit/s, 0.35 cores, 2000 MB)" or "2 unlike emulated hosts
    /// (1000 Mbit/s)".
    [[nodiscard]] std::string text() const;
};

/// The accuracy that a run had to reach, on one of its splits.
struct AccuracyTarget {
    double accuracy = 1.0;
    std::string split;  ///< "validation" or "test"
    bool operator==(const AccuracyTarget&) const = default;
};

/// Shares of a whole batch that are not equal, beside equal ones.
struct BatchShares {
    std::string by = {};                          ///< "speed" or "weights"
    std::vector<std::int64_t> shares = {};        ///< examples of each node
    std::vector<std::int64_t> equal_shares = {};  ///< as many
    /// The predicted computation of the slowest node in a step, with these shares and with equal ones. Absent
    /// if the speeds of the nodes were not measured.
    std::optional<double> predicted_us = {}, predicted_equal_us = {};
    bool operator==(const BatchShares&) const = default;
};

/// A fault that the spec of a run has, or that was drawn for it.
struct PlannedFault {
    std::string kind = {};                  ///< "kill", for instance
    std::int64_t node = 0;                  ///< its rank when the run begins
    std::optional<std::int64_t> step = {};  ///< that the node begins then; absent: it comes at a time
    std::optional<double> time_s = {};      ///< of training
    std::optional<double> factor = {};      ///< with "slow"
    bool operator==(const PlannedFault&) const = default;
};

/// A node that a run lost, which then went on with new processes or ended; or a fault of the spec that the
/// node survived.
struct NodeFailure {
    std::string time;                       ///< in UTC, as in 2026-11-25T04:36:00Z
    std::optional<std::int64_t> node = {};  ///< absent: it is not known which node failed
    std::int64_t step = 0;                  ///< the last step that any node had told; 0: none
    std::string cause;
    /// To the time at which the loss was known: from the fault of the spec; without one from the last message
    /// of the node, so that the node was lost for this time at most.
    std::optional<double> detected_after_s = {};
    /// From that time to the end of the first step of the new processes. Absent: there was none.
    std::optional<double> first_step_after_s = {};
    /// The told steps behind the step from which the run went on.
    std::int64_t steps_lost = 0;
    /// From the time at which the loss was known to the end of the first step with another process in the
    /// place of the lost one, while the other nodes kept theirs. Absent: there was none.
    std::optional<double> replaced_after_s = {};
    std::string fault = {};  ///< the kind of the spec's fault, as in "kill"; empty if it was none
    std::optional<std::int64_t> fault_step = {};  ///< the step of that fault; absent: at a random time
    /// From the time at which the loss was known to the time at which all nodes of the run that went on had
    /// agreed on their work and its step. Absent: they did not.
    std::optional<double> agreed_after_s = {};
    std::int64_t examples_lost = 0;  ///< of the lost steps, which were taken again
    bool operator==(const NodeFailure&) const = default;
};

/// What a run was, in a few words.
struct RunHeader {
    std::string name = {};
    std::string run_id = {};  ///< the first 12 digits of the run's identity
    RunStatus status = RunStatus::done;
    std::int64_t nodes = 1;
    std::int64_t batch_size = 0;                  ///< global
    std::optional<EmulatedCluster> cluster = {};  ///< absent: the nodes were side by side on one machine
    std::optional<AccuracyTarget> target = {};    ///< absent: none
    std::vector<std::int64_t> resumed_from_steps = {};  ///< steps of the checkpoints from which it continued
    std::vector<NodeFailure> failures = {};             ///< in order
    std::vector<PlannedFault> faults = {};              ///< of the spec
    bool bits_independent_of_nodes = false;   ///< of training losses and weights (SPEC.md, "Same bits")
    std::optional<BatchShares> balance = {};  ///< absent: equal shares
    std::string planned_pipeline = {};        ///< the planned schedule as lines of text; empty: no pipeline
    bool operator==(const RunHeader&) const = default;
};

/// A run, but for its records and weights.
struct RunRecord : RunHeader {
    std::string spec = {};         ///< the resolved spec as JSON text
    std::string environment = {};  ///< environment_json() as text
};

/// The updates that parameter servers made from one worker's gradients, where workers do not wait for each
/// other.
struct WorkerUpdates {
    std::int64_t worker = 0;
    std::map<std::int64_t, std::int64_t> by_staleness =
        {};                       ///< number of updates, by UpdateRecord::staleness
    std::int64_t most_ahead = 0;  ///< see UpdateRecord::ahead
    /// The steps whose values came from several servers, and were compared.
    std::int64_t pulls = 0;
    std::int64_t mixed_pulls = 0;     ///< of these: the servers sent values of different versions
    std::int64_t largest_spread = 0;  ///< between two versions of one step's values, in updates
    bool operator==(const WorkerUpdates&) const = default;
};

/// The results of a run, from which tables and summaries are made. ResultsBuilder makes them, in bounded
/// memory, of the records of a run that is under way or of a run folder. Rows are sorted by node, then by
/// epoch, step or time.
struct RunResults : RunHeader {
    std::vector<OperatorRecord> operators;  ///< one row for an operator of a node in a phase, over all epochs
    std::vector<StepRecord> steps;          ///< those of every step_stride-th step
    std::vector<EpochRecord> epochs;
    std::vector<SystemSample> system;  ///< a row may stand for several readings that follow one another
    std::vector<NodeSummary> summaries;
    std::int64_t step_stride = 1;             ///< a power of two
    double left_out_step_us = 0.0;            ///< time of the steps that are not in `steps`
    std::int64_t last_step = 0;               ///< 0: none
    std::vector<WorkerUpdates> updates = {};  ///< by worker; empty if workers take each step together
    bool operator==(const RunResults&) const = default;
};

/// The scores of an epoch from their sums over all nodes. Scores of a split without examples are absent.
EpochRecord epoch_record(const NodeEpochRecord& sums);

/// Adds the scores of a node to the sums of its epoch. The times become those of the slowest node that has
/// examples, if one has: a server begins the next epoch while the nodes evaluate.
void add_to(NodeEpochRecord& sums, const NodeEpochRecord& row);

/// The results without records.
RunResults header_of(const RunHeader& run);

}  // namespace convoy
