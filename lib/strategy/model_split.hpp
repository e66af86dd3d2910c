#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strategy/strategy.hpp"

namespace convoy {

/// By rank, the replica that it is a stage of: the nodes of one replica take the same batches.
std::vector<std::int64_t> replicas_of_stages(const ExperimentSpec& spec);

/// Model parallelism: each node holds some layers and computes them, forward and backward, on all
/// examples of its replica. What comes behind the last layer (the loss, sums over all layers) is done by the
/// last stage. A batch that is cut into micro-batches is a pipeline (strategy/pipeline.hpp).
///
/// With several replicas, each trains on its part of a batch, and the nodes of one stage sum their gradients
/// as ring_allreduce does. Each replica keeps its parts in checkpoints, and the first one saves them.
///
/// Stages share the norm of all gradients (strategy/shared_norm.hpp). Throws DataError where the stages do
/// not name each layer once.
NodePlan model_split_plan(const CompileInput& input, std::int64_t rank);

/// Where convoy chooses the stages: the predicted time of the slowest one, beside a greedy placement's
/// (StagePrediction). Else empty.
std::string stages_text(const ExperimentSpec& spec, const DataShape& shape, const Graph& training,
                        const ClusterModel& cluster);

/// The planned pipeline as lines: its schedule as a drawing (planned_step_drawing), its idle share, and the
/// bytes that cross each cut in a step. Empty with other strategies, or without micro-batches.
std::string pipeline_text(const ExperimentSpec& spec, const DataShape& shape, const Graph& training,
                          const ClusterModel& cluster);

}  // namespace convoy
