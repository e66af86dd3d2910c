#pragma once

#include <cstdint>
#include <vector>

#include "plan/cluster_model.hpp"
#include "program/program.hpp"
#include "spec/experiment_spec.hpp"
#include "strategy/node_plan_builder.hpp"

namespace convoy {

/// The sizes of the micro-batches of a share, in order: as many of micro_batch_size as fit, then the rest. An
/// empty share has one, of no examples, so that its batch is taken from the input pipeline all the same.
std::vector<std::int64_t> micro_batches_of(std::int64_t share, std::int64_t micro_batch_size);

/// Adds the gradients of one micro-batch of placement.batch examples to the step's exact sums: each bucket
/// (planned as for a ring, see insert_all_reduce) behind the operator that completes it.
Program gradients_program(const Graph& training, const StrategySpec& strategy, const Placement& placement);

/// What ends a step behind its micro-batches: adds the exact sums up over all ranks, bucket by bucket, and
/// updates the parameters with them. placement.batch is 0.
Program update_program(const Graph& training, const StrategySpec& strategy, const ClusterModel& cluster,
                       const Placement& placement);

/// Adds the steps of a node whose share of each split is given, worked off in micro-batches: one program for
/// each size of micro-batch, and one that ends the step. It decides layouts too, also of a node without
/// examples. EpochPlan cuts no micro-batch in two, so the
/// gradients have the same bits for any number of nodes. Throws DataError for a network with batch
/// normalisation.
void add_micro_batch_steps(NodePlanBuilder& plan, const std::vector<std::int64_t>& shares);

}  // namespace convoy
