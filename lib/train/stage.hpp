#pragma once

#include <cstdint>
#include <vector>

#include "measure/operator_timer.hpp"
#include "program/executor.hpp"
#include "train/node_programs.hpp"

namespace convoy {

/// The programs of one phase of a run, with what runs and times them.
struct Stage {
    ProgramSet programs;
    OperatorTimer timer;
    std::vector<Executor> executors = {};  ///< by program
    CarriedSums carried = {};              ///< where steps leave sums to the next one

    /// All that this rank runs for a batch of context.global_examples.
    StepResult step(std::int64_t rank, BatchSource& source, const StepContext& context);
    /// What the last step has left to the next one.
    StepResult end_step(std::int64_t rank, BatchSource& source);
};

}  // namespace convoy
