#pragma once

#include <cstdint>

#include "strategy/strategy.hpp"

namespace convoy {

/// Data parallelism, but for large dense layers, which are cut over the nodes (dense_cut.hpp): their
/// gradients need no sum, and the nodes exchange activations instead. It moves fewer bytes where such a layer
/// has more weights than a batch has inputs and results of it (cut_weights.hpp).
NodePlan hybrid_plan(const CompileInput& input, std::int64_t rank);

}  // namespace convoy
