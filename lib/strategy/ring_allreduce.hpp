#pragma once

#include <cstdint>
#include <span>

#include "plan/cluster_model.hpp"
#include "program/program.hpp"
#include "spec/experiment_spec.hpp"
#include "strategy/own_tensors.hpp"
#include "strategy/strategy.hpp"

namespace convoy {

/// Where the sums that a step starts are waited for, and its updates done.
enum class SumsEnd : std::uint8_t {
    in_step,          ///< in the step itself
    later,            ///< in the next step; nothing is left of a step before
    later_as_before,  ///< in the next step; those of the step before in this one
};

/// Turns a replica's program into one that reduces its gradients over all ranks, bucket by bucket in the
/// order in which the backward pass finishes them (Li et al., "PyTorch Distributed", VLDB 2020, section 4.2).
/// A bucket closes once it holds strategy.bucket_bytes, and a larger gradient stays whole; or each gradient
/// has one, or all have one together, as strategy.bucketing says. With overlap a bucket's sum starts behind
/// the operator that completes it, else behind the backward pass; either way the updates of a bucket follow
/// its wait, bucket by bucket, but for those that need all gradients (behind_sums). With overlap_forward that
/// wait is in the next step, right before the first operator that reads one of the bucket's parameters, so
/// that the sum goes on behind the forward pass up to there (Peng et al., "A Generic Communication Scheduler
/// for Distributed DNN Training Acceleration", SOSP 2019, section 3, has the idea); every parameter is read
/// in the same state as without. A share without examples puts zeros into the sums. Where strategy says so,
/// batch normalisations take the statistics of all ranks (synchronise_batch_norm). One rank alone reduces
/// nothing. examples: by rank, of this batch. own: gradients among them are not summed; they need `end` to be
/// in_step.
void insert_all_reduce(Program& program, const StrategySpec& strategy, const ClusterModel& cluster,
                       std::span<const std::int64_t> examples, SumsEnd end = SumsEnd::in_step,
                       const OwnTensors& own = {});

/// Whether sums of gradients go on behind the next step's forward pass. Not where all gradients are needed at
/// once, for their norm.
bool overlaps_forward(const StrategySpec& strategy, std::int64_t ranks, const Graph& training);

/// Throws DataError if a run is to go on without lost nodes, and a step of its network cannot be taken again.
void require_whole_steps(const CompileInput& input);

/// What the last step before an evaluation or a checkpoint leaves undone: all waits and their updates.
Program last_updates(const Graph& training, const StrategySpec& strategy, const ClusterModel& cluster,
                     const Placement& placement);

/// Data parallelism: each node trains the whole network on its share, and gradients are summed over all.
NodePlan ring_allreduce_plan(const CompileInput& input, std::int64_t rank);

}  // namespace convoy
