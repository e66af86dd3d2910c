#pragma once

#include <cstdint>
#include <span>

#include "plan/cluster_model.hpp"
#include "program/program.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// Makes a rank's batch normalisations take the statistics of all ranks' shares together (as PyTorch's
/// SyncBatchNorm), by splitting each in three: what this rank finds of its own share, a sum over all ranks,
/// and what is done with that.
///
/// Forward: each rank puts mean and variance by channel into a row of its own of the bucket "LAYER.moments",
/// whose other rows are zeros, so that the sum gathers them; each combines them by the rows' counts (Chan,
/// Golub, LeVeque, 1979: no digits are lost where a mean is large), in the order of ranks, so that all get
/// the same bits. Backward: dgamma and dbeta are this rank's part of a gradient as any other; a copy of both
/// in the bucket "LAYER.gradient_sums" becomes their sum over all ranks, of which dx is made.
///
/// Its buckets hold no gradients and stand behind those that do: plan_buckets comes before. examples: by
/// rank, of this batch. wire_type does not apply: all of it travels as float32.
void synchronise_batch_norm(Program& program, const StrategySpec& strategy, const ClusterModel& cluster,
                            std::span<const std::int64_t> examples);

}  // namespace convoy
