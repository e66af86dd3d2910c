#pragma once

#include <vector>

#include "program/program.hpp"
#include "strategy/own_tensors.hpp"

namespace convoy {

/// Forward and backward of a share without examples. Gradients and buckets become zeros, in the order in
/// which ranks with examples write them. The first dataset operator stays and takes the empty batch. Sums
/// within the step stay, and so do the statistics that are computed from them, and operators that write
/// `own`.
std::vector<Operator> zeros_for(const Program& program, std::vector<Operator> compute,
                                const OwnTensors& own = {});

/// A node without examples has nothing to compute. Only the first dataset operator stays; it takes the empty
/// batch.
void keep_dataset_only(Program& program);

}  // namespace convoy
