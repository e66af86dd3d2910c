#pragma once

#include <memory>
#include <vector>

#include "program/action.hpp"

namespace convoy {

/// Runs one bound program, operator after operator, and times each. It refers to the program, the
/// communicator, the timer and the state, which must outlive it.
class Executor {
  public:
    /// state: shared by all programs of the node.
    Executor(BoundProgram& program, Communicator& communicator, OperatorTimer& timer, StepState& state);

    /// One batch, or a part of one; the caller tells the timer when a step begins. The Dataset operator takes
    /// the batch from source and fills in context's examples. Throws what the source and the communicator
    /// throw, and InternalError where a batch has another size than the program was compiled for.
    StepResult run(BatchSource& source, const StepContext& context);

  private:
    BoundProgram& program_;
    bool has_loss_;  ///< examples are counted by the node that computes their loss
    std::vector<std::unique_ptr<Action>> actions_;
};

}  // namespace convoy
