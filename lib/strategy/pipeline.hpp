#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "graph/graph.hpp"
#include "program/program.hpp"
#include "spec/experiment_spec.hpp"
#include "strategy/pipeline_schedule.hpp"

namespace convoy {

/// By stage and reader: the bytes of the activations, or of their gradients, that one sends to the other in a
/// step.
using StageTraffic = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;

/// How stages depend on each other, and what they send.
struct StageGraph {
    StageReaders readers;
    StageTraffic bytes;
};
StageGraph stage_graph(const Graph& training, std::span<const std::int64_t> stages, std::int64_t batch);

/// The step of one stage on a batch that is cut into micro-batches, as one flat program.
///
/// 1. It starts the receives of the whole step, so that no sender waits for this stage.
/// 2. It does the tasks of its schedule (strategy/pipeline_schedule.hpp). It waits for an activation or a
///    gradient where it needs it, and starts a send as soon as the stage that reads it would need it. Each
///    micro-batch has its own activations and messages. The gradients of a parameter add up.
/// 3. It updates its parameters with the sums, and waits for its sends.
///
/// So a link carries the messages of a step in the order in which their sender computes them. What depends on
/// no example, such as the penalty, is computed once, with the first micro-batch.
///
/// stages: of each operator of `training` the stage that runs it, or every_stage. placement.batch: the
/// examples of the whole batch, at least two; placement.layout_batch: the same of the largest batch of all
/// replicas. Throws DataError if the schedule or the network does not allow it.
Program pipelined_step(const Graph& training, std::span<const std::int64_t> stages, std::int64_t stage,
                       const StrategySpec& strategy, const Placement& placement);

}  // namespace convoy
