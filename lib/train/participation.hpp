#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "plan/node_plan.hpp"
#include "train/phase.hpp"

namespace convoy {

/// What a node takes part in: the programs of its plan, bound to its back-end, and the communicator that they
/// exchange over. The back-end and the communicator outlive it.
class Participation {
  public:
    /// Binds the plan's programs. trace_steps: see OperatorTimer.
    Participation(NodePlan plan, Backend& backend, Communicator& communicator, std::int64_t trace_steps);
    Participation(const Participation&) = delete;
    Participation& operator=(const Participation&) = delete;
    Participation(Participation&&) = delete;
    Participation& operator=(Participation&&) = delete;
    /// Where a step was left in the middle, exchanges may still be adding into buckets: ends them before the
    /// buckets go.
    ~Participation();

    [[nodiscard]] const NodePlan& plan() const { return plan_; }
    [[nodiscard]] Communicator& communicator() { return communicator_; }
    [[nodiscard]] OperatorTimer& timer(RunPhase phase);
    /// Makes room in all timers for an epoch of so many steps and evaluated batches.
    void begin_epoch(std::int64_t epoch, std::int64_t steps, std::int64_t evaluated_batches);

    /// One training step on a batch of this split.
    StepResult train(std::size_t split, BatchSource& source, const StepContext& context);
    /// Completes what the last step left under way. Nothing where it left nothing.
    StepResult finish();
    /// Brings all nodes to the state that an evaluation, or a checkpoint, takes.
    void synchronise(RunPhase phase, const StepContext& context);
    /// One batch of the evaluated data (see Routine::evaluations).
    StepResult evaluate(std::size_t data, std::size_t split, BatchSource& source, const StepContext& context);
    /// Sums over all nodes: the same bits on each, so that all decide the same.
    std::array<double, 2> sum(double first, double second);

  private:
    [[nodiscard]] PhaseParts parts() { return {bound_, communicator_, state_}; }

    NodePlan plan_;
    Communicator& communicator_;
    StepState state_;
    std::vector<std::unique_ptr<BoundProgram>> bound_;  ///< by program of the plan
    Phase training_, evaluation_, checkpoint_;
    bool under_way_ = false;  ///< the last step left exchanges
};

}  // namespace convoy
