#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spec/experiment_spec.hpp"

namespace convoy {

/// The work of a stage on one micro-batch. With fill_drain and 1F1B, `backward` also computes the gradients
/// of weights, and there is no `weights`.
enum class StageWork : std::uint8_t { forward, backward, weights };

struct StageTask {
    StageWork work = StageWork::forward;
    std::int64_t micro_batch = 0;
    bool operator==(const StageTask&) const = default;
};

/// By stage: the stages that read its activations, and so send it gradients.
using StageReaders = std::vector<std::vector<std::int64_t>>;

/// By stage: the number of stages on the longest way from it to the end, itself included. Absent if stages
/// need each other in a circle.
std::optional<std::vector<std::int64_t>> stages_to_end(const StageReaders& readers);

/// By stage: its tasks in a step, in their order. For each kind of work, micro-batches come in ascending
/// order. No order makes stages wait for each other in a circle.
///
/// * fill_drain: all forward passes, then all backward passes.
/// * 1F1B: as many forward passes as stages_to_end says, then a backward and a forward pass in turn. So a
///   stage never keeps the activations of more micro-batches.
/// * zero_bubble: as 1F1B, but gradients of weights come later, by as many micro-batches as stages are before
///   this one on the longest way. So they fill the time in which the stage would wait for gradients, and a
///   stage keeps the activations of at most as many micro-batches as the longest way has stages (ZB-H1 of Qi
///   et al., "Zero Bubble Pipeline Parallelism", 2023). Where forward pass, input gradients and weight
///   gradients take the same time, no input gradient waits for a weight gradient.
///
/// Throws DataError for 1F1B and zero_bubble if stages need each other in a circle.
std::vector<std::vector<StageTask>> pipeline_tasks(PipelineSchedule schedule, const StageReaders& readers,
                                                   std::int64_t micro_batches);

/// A step as it is planned: all stages take the same time for a task, messages take none. A forward pass
/// takes one unit of time. A backward pass takes two, or one with zero_bubble, whose weight gradients take
/// one.
struct PlannedStep {
    std::int64_t units = 0;                         ///< the time of the step
    std::vector<std::vector<std::int64_t>> begins;  ///< by stage and task, in order
    double idle_share = 0.0;                        ///< the part of the time in which stages wait
};
/// Absent if stages need each other in a circle.
std::optional<PlannedStep> planned_step(PipelineSchedule schedule, const StageReaders& readers,
                                        std::int64_t micro_batches);

/// The planned step, which planned_step gives, as a drawing of characters: a line for each stage, a column
/// for each unit of time. 3 is the forward pass of the third micro-batch, 3b its backward pass, 3w its weight
/// gradients; a dot is a wait.
std::string planned_step_drawing(const PlannedStep& step, PipelineSchedule schedule,
                                 const StageReaders& readers, std::int64_t micro_batches);

/// The sizes of the micro-batches of a batch: as equal as can be, the larger ones first. A batch of fewer
/// examples has a micro-batch for each example.
std::vector<std::int64_t> micro_batch_sizes(std::int64_t examples, std::int64_t micro_batches);

}  // namespace convoy
