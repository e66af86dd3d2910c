#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/dataset.hpp"
#include "data/sharding.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// The examples of each rank in each batch of a run.
struct DataPlan {
    EpochPlan train;
    std::vector<EpochPlan> evaluations;  ///< validation data, then test data; each only if the spec has it
    std::int64_t steps = 0;              ///< training steps of the whole run, at most max_steps
};

/// The shares of training batches in a run that has lost workers, and leaves their shares out.
struct KeptShares {
    std::int64_t shares = 1;                 ///< of a batch
    std::vector<std::int64_t> of_rank = {};  ///< the share of each rank; -1 for a rank without data
};

/// Splits the examples of a dataset over the ranks. replica_of_rank, weights: see ShardingRequest; the
/// weights hold for training batches only. kept: the shares of training batches, in place of replicas; an
/// evaluation has all its examples nevertheless. Throws DataError if the spec asks for more examples than the
/// dataset has.
DataPlan data_plan(const ExperimentSpec& spec, const SplitSizes& sizes,
                   std::span<const std::int64_t> replica_of_rank, std::vector<double> weights = {},
                   const std::optional<KeptShares>& kept = std::nullopt);

/// The plan of an evaluation of this many examples. Each example is evaluated once, in order.
EpochPlan evaluation_plan(const ExperimentSpec& spec, std::int64_t examples,
                          std::span<const std::int64_t> replica_of_rank);

}  // namespace convoy
