#pragma once

#include "plan/cluster_model.hpp"
#include "program/program.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// The program of one rank that brings the moving statistics of a training graph to their mean over all
/// ranks: one bucket that holds them all, its sum, and a division by placement.world_size.
Program averaging_program(const Graph& training, const StrategySpec& strategy, const ClusterModel& cluster,
                          const Placement& placement);

}  // namespace convoy
