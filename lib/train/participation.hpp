#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "plan/node_plan.hpp"
#include "train/message_handling.hpp"
#include "train/phase.hpp"

namespace convoy {

/// A node's part in a run: the programs of its plan, bound to its back-end, and the communicator of their
/// exchanges. The back-end and the communicator must outlive it.
class Participation {
  public:
    /// Binds the plan's programs. traced: the training steps of an epoch that are kept as slices.
    Participation(NodePlan plan, Backend& backend, Communicator& communicator, TracedSteps traced);
    Participation(const Participation&) = delete;
    Participation& operator=(const Participation&) = delete;
    Participation(Participation&&) = delete;
    Participation& operator=(Participation&&) = delete;
    /// Ends all exchanges before the buckets are freed. After an exception in a step, exchanges may still
    /// write into buckets.
    ~Participation();

    [[nodiscard]] const NodePlan& plan() const { return plan_; }
    [[nodiscard]] Communicator& communicator() { return communicator_; }
    [[nodiscard]] OperatorTimer& timer(RunPhase phase);
    /// Makes room in all timers for an epoch of `steps` training steps and `evaluated_batches` batches.
    void begin_epoch(std::int64_t epoch, std::int64_t steps, std::int64_t evaluated_batches);

    /// From now on, each training step takes so many times the time of its computation, by sleeping behind
    /// it.
    void slow_down_by(double factor);
    [[nodiscard]] double slowness() const { return slow_ ? slow_->factor : 1.0; }

    /// Runs one training step on a batch of this split.
    StepResult train(std::size_t split, BatchSource& source, const StepContext& context);
    /// Whether the node handles messages in its training steps, instead of taking batches.
    [[nodiscard]] bool handles_messages() const { return handling_.any(); }
    /// Handles the messages of one training step, see MessageHandling::run_step.
    StepResult handle(const MessageHandling::Goal& goal, const MessageHandling::ContextOf& context_of,
                      std::vector<UpdateRecord>& updates);
    /// As go_on_behind and past of MessageHandling.
    void go_on_behind(const MessageHandling::Past& past) { handling_.go_on_behind(past); }
    [[nodiscard]] MessageHandling::Past past_messages() const { return handling_.past(); }
    /// Completes the exchanges that the last step left under way. Without such exchanges it does nothing.
    StepResult finish();
    /// Runs the programs before an evaluation or a checkpoint, which bring all nodes to the needed state.
    void synchronise(RunPhase phase, const StepContext& context);
    /// Evaluates one batch. data: an index of Routine::evaluations.
    StepResult evaluate(std::size_t data, std::size_t split, BatchSource& source, const StepContext& context);
    /// Sums two numbers over all nodes, in float32. The sums have the same bits on all nodes, so all nodes
    /// decide the same.
    std::array<double, 2> sum(double first, double second);

  private:
    /// Sleeps behind a step, if the node is slow, and adds this to the computation of the step.
    void sleep_behind(StepResult& result);
    [[nodiscard]] PhaseParts parts() { return {bound_, communicator_, state_}; }

    NodePlan plan_;
    Communicator& communicator_;
    StepState state_;
    std::vector<std::unique_ptr<BoundProgram>> bound_;  ///< by program of the plan
    Phase training_, evaluation_, checkpoint_;
    MessageHandling handling_;
    struct Slow {
        double factor = 1.0;
        OperatorRowId row{};  ///< of the time in which the node sleeps
    };
    std::optional<Slow> slow_;
    bool under_way_ = false;  ///< the last step left exchanges under way
};

}  // namespace convoy
