#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "data/batch.hpp"
#include "measure/operator_timer.hpp"
#include "program/communicator.hpp"
#include "program/gradient_sums.hpp"
#include "program/kernel.hpp"

namespace convoy {

/// One run of a program. step = compute + wait, but for the executor's own bookkeeping.
struct StepResult {
    StepMetrics metrics;
    std::optional<double> gradient_norm;  ///< before clipping, where gradients are clipped by it
    std::optional<double> penalty;        ///< the L2 term of the weights that the step began with
    std::int64_t examples = 0;
    Microseconds step{};
    Microseconds compute{};
    Microseconds wait{};  ///< for data and for peers, starting collectives included

    /// What two programs of one step did together.
    StepResult& operator+=(const StepResult& other);
};

/// A collective that is under way.
struct StartedSum {
    Ticket ticket{};
    Interval handover;  ///< how long starting it took
};

/// What a step leaves to the next one where its program carries sums over: those that are under way, by
/// bucket, and the step that they are of, as its updates want to know it.
struct CarriedSums {
    std::vector<std::optional<StartedSum>> buckets;  ///< as many as the program with the most has
    StepContext step;
};

/// Runs one bound program, operator after operator, and times each. It refers to the program, the
/// communicator, the timer and the sums, which must outlive it.
class Executor {
  public:
    /// sums: of the program's buckets, where it adds gradients up exactly; shared by all programs of a step.
    /// carried: where it carries sums over, shared by all programs that do.
    Executor(BoundProgram& program, Communicator& communicator, OperatorTimer& timer,
             GradientSums* sums = nullptr, CarriedSums* carried = nullptr);

    /// One batch, or a part of one; the caller tells the timer when a step begins. The Dataset operator takes
    /// the batch from source and fills in context's examples. Throws what the source and the communicator
    /// throw, and InternalError where a batch has another size than the program was compiled for.
    StepResult run(BatchSource& source, StepContext context);

  private:
    /// One operator with all that running it takes.
    struct Action {
        OperatorKind kind;
        OperatorRowId row;            ///< dataset, communication and exact sums
        OperatorRowId copy_row = {};  ///< dataset: of putting the batch into the program's memory
        std::size_t bucket = 0;       ///< communication and exact sums
        std::optional<std::size_t> residuals = {};  ///< communication: the bucket of what is kept, if any
        CollectiveAttributes collective = {};       ///< communication
        bool whole = false;                         ///< communication: starts and waits, with nothing between
        bool updates = false;                       ///< compute: behind a wait, and only if there was one
        Kernel* kernel = nullptr;                   ///< compute
    };

    void add_actions(std::size_t operator_index);
    void fetch(const Action& action, BatchSource& source, StepContext& context, StepResult& result);
    void add_up(const Action& action, StepResult& result);
    void add_collective(std::size_t operator_index);
    /// By bucket.
    std::vector<std::optional<StartedSum>>& started() {
        return carried_ != nullptr ? carried_->buckets : started_;
    }
    [[nodiscard]] ReduceBuffer buffer_of(const Action& action);
    void start(const Action& action, StepResult& result);
    /// False where the step before left nothing to wait for.
    bool wait(const Action& action, StepResult& result);
    void compute(const Action& action, const StepContext& context, StepResult& result);

    BoundProgram& program_;
    Communicator& communicator_;
    OperatorTimer& timer_;
    GradientSums* sums_;
    CarriedSums* carried_;  ///< null: every sum is waited for in the run that starts it
    std::vector<Action> actions_;
    std::vector<std::optional<StartedSum>> started_;  ///< by bucket, unless they are carried
};

}  // namespace convoy
