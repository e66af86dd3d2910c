#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "measure/operator_timer.hpp"
#include "plan/node_plan.hpp"
#include "program/executor.hpp"

namespace convoy {

/// The bound programs, the communicator and the state of a phase. They must outlive the phase.
struct PhaseParts {
    std::span<const std::unique_ptr<BoundProgram>> bound;  ///< by program of the plan
    Communicator& communicator;
    StepState& state;
};

/// The programs of one phase of a run, with their executors and their timer. A program may be in several
/// phases.
class Phase {
  public:
    /// sequences: all sequences that the phase may run.
    Phase(OperatorTimer timer, const std::vector<Sequence>& sequences, const PhaseParts& parts);
    Phase(const Phase&) = delete;
    Phase& operator=(const Phase&) = delete;
    Phase(Phase&&) = delete;
    Phase& operator=(Phase&&) = delete;
    ~Phase() = default;

    [[nodiscard]] OperatorTimer& timer() { return timer_; }
    /// The most calls in one sequence of an operator of one name: one in each program, or, in the step of a
    /// pipeline, one for each micro-batch.
    [[nodiscard]] std::size_t most_calls() const { return most_calls_; }
    /// Runs programs in order. Each batch from `source` is cut into the slices that the programs take.
    StepResult run(const Sequence& sequence, BatchSource& source, const StepContext& context);
    /// Runs programs that take no batch.
    StepResult run(const Sequence& sequence, const StepContext& context);
    /// The exchanges under way for which these programs wait, in the order of their waits.
    [[nodiscard]] std::vector<Ticket> awaited(const Sequence& sequence) const;

  private:
    OperatorTimer timer_;
    std::span<const std::unique_ptr<BoundProgram>> bound_;
    std::map<std::size_t, Executor> executors_;  ///< by program
    std::size_t most_calls_ = 0;
};

}  // namespace convoy
