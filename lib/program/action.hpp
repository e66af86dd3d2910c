#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "data/batch.hpp"
#include "measure/operator_timer.hpp"
#include "program/communicator.hpp"
#include "program/kernel.hpp"
#include "program/step_state.hpp"

namespace convoy {

/// One run of a program. step = compute + wait, but for the executor's own bookkeeping.
struct StepResult {
    StepMetrics metrics;
    std::optional<double> gradient_norm;  ///< before clipping, where gradients are clipped by it
    std::optional<double> penalty;        ///< the L2 term of the weights that the step began with
    std::int64_t examples = 0;
    Microseconds step{};
    Microseconds compute{};
    Microseconds wait{};  ///< for data and for peers, starting exchanges included

    /// Adds the results of another program of the same step.
    StepResult& operator+=(const StepResult& other);
};

/// What an action reads and writes while its program runs.
struct ActionRun {
    BatchSource& source;
    StepContext context;
    StepResult result = {};
};

/// One operator, bound to its memory and its row of the operator table. Running it allocates nothing.
class Action {
  public:
    Action() = default;
    Action(const Action&) = delete;
    Action& operator=(const Action&) = delete;
    Action(Action&&) = delete;
    Action& operator=(Action&&) = delete;
    virtual ~Action() = default;
    virtual void run(ActionRun& run) = 0;
};

/// What actions work on; all of it outlives them.
struct ActionParts {
    BoundProgram& program;
    Communicator& communicator;
    OperatorTimer& timer;
    StepState& state;
};

/// The actions of operator i of the program, in order: one for a dataset, an exchange or exact sums, one for
/// each kernel otherwise. Throws InternalError where the operator does not fit its program.
std::vector<std::unique_ptr<Action>> actions_of(const ActionParts& parts, std::size_t operator_index);

}  // namespace convoy
