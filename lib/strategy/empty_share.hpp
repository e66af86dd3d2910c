#pragma once

#include <vector>

#include "program/program.hpp"

namespace convoy {

/// Forward and backward of a share without examples: zeros in all that is summed over the ranks, in the order
/// in which the others write it. The first dataset operator stays and takes the empty batch, and so do sums
/// in the midst of the step with the statistics that come of them.
std::vector<Operator> zeros_for(const Program& program, std::vector<Operator> compute);

/// A node without examples has nothing to compute. Only the first dataset operator stays; it takes the empty
/// batch.
void keep_dataset_only(Program& program);

}  // namespace convoy
