#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "base/warm_up.hpp"
#include "measure/durations.hpp"
#include "report/run_record.hpp"

namespace convoy {

/// One step of all nodes together.
struct ClusterStep {
    std::int64_t epoch = 0, step = 0;
    double loss = 0.0;  ///< mean over the examples of all nodes
    std::int64_t correct = 0, examples = 0;
    double step_us = 0.0;  ///< time of the slowest node
};
/// The ranks of parameter servers. Servers have the ranks from `nodes` (RunHeader::nodes) up, and none of
/// their steps has examples. A run that went on with fewer nodes also has ranks from `nodes` up, with
/// examples.
std::set<std::int64_t> server_ranks(const std::vector<StepRecord>& steps, std::int64_t nodes);

/// In order of steps. nodes: RunHeader::nodes. Steps of servers do not count: a server waits by design.
std::vector<ClusterStep> cluster_steps(const std::vector<StepRecord>& steps, std::int64_t nodes);

/// The same without the warm-up.
std::vector<ClusterStep> cluster_steps_behind_warm_up(const std::vector<StepRecord>& steps,
                                                      std::int64_t nodes);

/// The speed of the steps after the warm-up.
struct StepFigures {
    DurationStatistics step_us;             ///< statistics of the slowest node's time in each step
    double examples_per_second_mean = 0.0;  ///< examples of these steps divided by the sum of step times
    double examples_per_second_p50 = 0.0;   ///< median of the speeds of single steps
};
/// Absent if there is no step. nodes: see cluster_steps.
std::optional<StepFigures> step_figures(const std::vector<StepRecord>& steps, std::int64_t nodes);

/// Statistics over the steps, of the gradients' norm before clipping. For each step it takes the largest norm
/// of all nodes; norms of nodes differ only if nodes train apart.
struct GradientNorms {
    double p50 = 0.0, p99 = 0.0, max = 0.0;
};
/// Absent if gradients were not clipped by their global norm. Norms that are not finite are ignored.
std::optional<GradientNorms> gradient_norms(const std::vector<StepRecord>& steps);

/// The times of the phases, each of the node that was slowest in this phase. Preprocessing runs beside
/// training, so the sum of the phases may be larger than the total. A server trains on while the nodes
/// (RunHeader::nodes) evaluate, so train_s is of the nodes.
struct PhaseTimes {
    double read_s = 0.0, preprocess_s = 0.0, train_s = 0.0, evaluate_s = 0.0, checkpoint_s = 0.0,
           total_s = 0.0, fetch_s = 0.0;
};
PhaseTimes phase_times(const std::vector<NodeSummary>& summaries, std::int64_t nodes);

/// The epoch in which a run first reached its target.
struct TimeToAccuracy {
    std::int64_t epoch = 0;
    /// Time of training and evaluation up to the end of that epoch, of the slowest node in each epoch.
    double seconds = 0.0;
};
/// Absent if no epoch reached the target.
std::optional<TimeToAccuracy> time_to_accuracy(const std::vector<EpochRecord>& epochs,
                                               const AccuracyTarget& target);

/// The time in which training waited for data (the operator Dataset): of one node, and the mean over nodes.
double data_wait_us(const RunResults& results, std::int64_t node);
double mean_data_wait_us(const RunResults& results);

/// The times of the stages of the input pipeline, each of the node that was slowest in this stage.
InputTimes input_times(const std::vector<NodeSummary>& summaries);

/// Sums over all exchanges of one node, those in evaluations included.
CommunicationTimes communication_of(const std::vector<OperatorRecord>& operators, std::int64_t node);

}  // namespace convoy
