#pragma once

#include <cstdint>

#include "plan/data_shape.hpp"
#include "plan/memory_need.hpp"
#include "plan/node_plan.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// The training examples of one node.
struct OwnExamples {
    std::int64_t of_run = 0;    ///< all that it trains on
    std::int64_t of_batch = 0;  ///< its largest share of a batch
};

/// Adds the memory of a node's data: labels and values as the input pipeline keeps them, and the batches that
/// it prepares ahead. role: what the node reads. Throws SizeError if a number does not fit 64 bits.
void add_data(MemoryNeed& need, const ExperimentSpec& spec, const DataShape& shape, const DataRole& role,
              const OwnExamples& own);

}  // namespace convoy
