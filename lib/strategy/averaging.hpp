#pragma once

#include <optional>

#include "plan/cluster_model.hpp"
#include "program/program.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// The program of one rank that brings the moving statistics of a training graph to their mean over all
/// ranks: one bucket that holds them all, its sum, and a division by placement.world_size. part: the part of
/// this rank in the mean, if parts differ; then the rank scales its statistics before the sum.
Program averaging_program(const Graph& training, const StrategySpec& strategy, const ClusterModel& cluster,
                          const Placement& placement, std::optional<double> part = {});

}  // namespace convoy
