#pragma once

#include <cstdint>
#include <vector>

#include "strategy/strategy.hpp"

namespace convoy {

/// Node 0, the master, is the replica; the other nodes take no examples.
std::vector<std::int64_t> master_and_workers(const ExperimentSpec& spec);

/// Only the convolutions are distributed: every node computes some of the kernels of a convolution for the
/// whole batch, and the master all other layers (filter_cut.hpp; kernel_shares.hpp says who has how many
/// kernels).
NodePlan filter_parallel_plan(const CompileInput& input, std::int64_t rank);

}  // namespace convoy
