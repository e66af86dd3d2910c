#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strategy/strategy.hpp"

namespace convoy {

/// All nodes together are one replica: each takes the same batches.
std::vector<std::int64_t> stages_of_one_replica(const ExperimentSpec& spec);

/// The part of a program that one stage runs. stages: of each operator the stage that runs it, or
/// every_stage. Where a stage reads a tensor that another one writes, the writer packs it into a message and
/// sends it, and the reader receives it, at the same place in the order of the whole program: so no two
/// stages wait for each other in a circle. Throws DataError for a tensor that has no form to travel in.
inline constexpr std::int64_t every_stage = -1;
Program part_of_stage(const Program& whole, std::span<const std::int64_t> stages, std::int64_t stage);

/// Model parallelism: each node holds some layers and computes them, forward and backward, on the whole
/// batch. What comes behind the last layer (the loss, sums over all layers) is done by the last stage.
///
/// Stages share the norm of all gradients (strategy/shared_norm.hpp). Throws DataError where the stages do
/// not name each layer once.
NodePlan model_split_plan(const CompileInput& input, std::int64_t rank);

}  // namespace convoy
