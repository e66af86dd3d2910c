#pragma once

#include <memory>
#include <vector>

#include "program/action.hpp"

namespace convoy {

/// Runs one bound program, operator after operator, and measures the time of each operator. It refers to the
/// program, the communicator, the timer and the state, and these must outlive it.
class Executor {
  public:
    /// state: all programs of the node share it.
    Executor(BoundProgram& program, Communicator& communicator, OperatorTimer& timer, StepState& state);

    /// Runs the program once, for one batch or one micro-batch. The caller tells the timer when a step
    /// begins. The first Dataset operator takes the batch from `source`; a program without such an operator
    /// takes none. Throws the errors of the source and of the communicator, and InternalError if the batch
    /// has another size than the program, or lacks what the program reads.
    StepResult run(BatchSource& source, const StepContext& context);

    /// The exchanges under way for which the program waits, in the order of its waits.
    [[nodiscard]] std::vector<Ticket> awaited() const;

  private:
    BoundProgram& program_;
    bool has_loss_;  ///< only a node that computes the loss counts examples
    std::vector<std::unique_ptr<Action>> actions_;
    const InFlight& in_flight_;
    std::vector<std::size_t> waits_;  ///< places of the exchanges that it waits for
};

}  // namespace convoy
