#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "data/batch.hpp"
#include "measure/operator_timer.hpp"
#include "program/communicator.hpp"
#include "program/kernel.hpp"
#include "program/step_state.hpp"

namespace convoy {

/// The result of one run of a program. `step` is `compute` + `wait` + the executor's own bookkeeping.
struct StepResult {
    StepMetrics metrics;
    /// The norm of all gradients before clipping. Absent if the program does not clip by this norm.
    std::optional<double> gradient_norm;
    /// The L2 term of the weights at the start of the step. Absent if there is no L2 penalty.
    std::optional<double> penalty;
    std::int64_t examples = 0;
    Microseconds step{};
    Microseconds compute{};
    Microseconds wait{};  ///< time for data, for peers, and for starting exchanges

    /// Adds the results of another program of the same step.
    StepResult& operator+=(const StepResult& other);
};

/// The input and the result of one run of a program. All actions of the run share it.
struct ActionRun {
    BatchSource& source;
    StepContext context;
    Batch batch = {};  ///< the first dataset operator takes it, all of them read it
    StepResult result = {};
};

/// One operator or kernel, bound to its memory and its row of the operator table. `run` allocates no memory.
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

/// The objects that actions refer to. All of them outlive the actions.
struct ActionParts {
    BoundProgram& program;
    Communicator& communicator;
    OperatorTimer& timer;
    StepState& state;
};

/// The key of an exchange in InFlight. The start and the wait of an exchange have the same key.
std::string exchange_key(const Operator& op);

/// Makes the actions of the operator with this index, in the order in which they run. An exchange or exact
/// sums have one action. A dataset operator has one action, and the first of them one more before it, which
/// takes the next batch. Any other operator has one action for each of its kernels. Throws InternalError if
/// the operator does not fit its program.
std::vector<std::unique_ptr<Action>> actions_of(const ActionParts& parts, std::size_t operator_index);

}  // namespace convoy
