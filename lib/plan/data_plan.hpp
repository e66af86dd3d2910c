#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/dataset.hpp"
#include "data/sharding.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// How examples are dealt out to the ranks of a run.
struct DataPlan {
    EpochPlan train;
    std::vector<EpochPlan>
        evaluations;         ///< of validation where there is one, then of test where there is one
    std::int64_t steps = 0;  ///< training steps of the whole run, max_steps applied
};

/// Deals the examples of a dataset out to the ranks, see ShardingRequest::replica_of_rank. Throws DataError
/// where the spec asks for more examples than there are.
DataPlan data_plan(const ExperimentSpec& spec, const SplitSizes& sizes,
                   std::span<const std::int64_t> replica_of_rank);

/// How so many examples are evaluated: each of them once, in order.
EpochPlan evaluation_plan(const ExperimentSpec& spec, std::int64_t examples,
                          std::span<const std::int64_t> replica_of_rank);

}  // namespace convoy
