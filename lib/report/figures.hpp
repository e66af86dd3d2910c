#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "measure/durations.hpp"
#include "report/run_record.hpp"

namespace convoy {

/// The most steps at the start that are left out of speeds, and never more than a quarter of them: memory is
/// touched for the first time in them, and caches, clocks and connections settle.
inline constexpr std::int64_t warm_up_steps = 5;

/// One step of all nodes together.
struct ClusterStep {
    std::int64_t epoch = 0, step = 0;
    double loss = 0.0;  ///< mean over the examples of all nodes
    std::int64_t correct = 0, examples = 0;
    double step_us = 0.0;  ///< of the slowest node
};
/// In order of steps.
std::vector<ClusterStep> cluster_steps(const std::vector<StepRecord>& steps);

/// Speed over the steps after the warm-up.
struct StepFigures {
    DurationStatistics step_us;             ///< of the slowest node of each step
    double examples_per_second_mean = 0.0;  ///< examples of all those steps over the time of the slowest node
    double examples_per_second_p50 = 0.0;   ///< median of the steps' own speeds
};
/// Absent where there is no step.
std::optional<StepFigures> step_figures(const std::vector<StepRecord>& steps);

/// Norms of the gradients before they were clipped, over the steps: of each the largest of the nodes', which
/// differ only where nodes train apart.
struct GradientNorms {
    double p50 = 0.0, p99 = 0.0, max = 0.0;
};
/// Absent where gradients were not clipped by their global norm. Norms that are not finite count for nothing.
std::optional<GradientNorms> gradient_norms(const std::vector<StepRecord>& steps);

/// How long the phases took, each on the node that was slowest in it. Preprocessing runs beside training, so
/// the parts may add up to more than the total.
struct PhaseTimes {
    double read_s = 0.0, preprocess_s = 0.0, train_s = 0.0, evaluate_s = 0.0, checkpoint_s = 0.0,
           total_s = 0.0;
};
PhaseTimes phase_times(const std::vector<NodeSummary>& summaries);

/// When a run first reached its target.
struct TimeToAccuracy {
    std::int64_t epoch = 0;
    double seconds = 0.0;  ///< of training and evaluating up to that epoch's end, by the slowest node of each
};
/// Absent where no epoch reached it.
std::optional<TimeToAccuracy> time_to_accuracy(const std::vector<EpochRecord>& epochs,
                                               const AccuracyTarget& target);

/// What training stood still for data: the operator Dataset of one node, and the mean over nodes.
double data_wait_us(const RunResults& results, std::int64_t node);
double mean_data_wait_us(const RunResults& results);

/// How long the stages of the input pipeline took, each on the node that was slowest in it.
InputTimes input_times(const std::vector<NodeSummary>& summaries);

/// Sums over all collectives of one node. Evaluation's are part of it.
CommunicationTimes communication_of(const std::vector<OperatorRecord>& operators, std::int64_t node);

}  // namespace convoy
