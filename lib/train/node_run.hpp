#pragma once

#include <string>
#include <vector>

#include "data/pipeline.hpp"
#include "job/node_job.hpp"
#include "plan/plan.hpp"
#include "train/early_stopping.hpp"
#include "train/epoch_log.hpp"
#include "train/node.hpp"
#include "train/participation.hpp"

namespace convoy {

/// One node's way through a run: epochs of training steps, evaluations and checkpoints, as its plan says.
class NodeRun {
  public:
    /// Reads the data and compiles the plan of the run for it. hosts: of all ranks. assignment, communicator
    /// and reporter outlive this object.
    NodeRun(const NodeAssignment& assignment, const HostMap& hosts, Communicator& communicator,
            NodeReporter& reporter);

    /// All epochs; see run_node.
    void run();

  private:
    /// Goes on where a checkpoint of this run left this node. Throws DataError where it is not this run's.
    void restore(const NodeCheckpoint& checkpoint);
    /// Whether the spec wants a checkpoint between the last step and the next.
    [[nodiscard]] bool checkpoint_is_due() const;
    /// Tells the reporter the node's state between two steps.
    void take_checkpoint();
    [[nodiscard]] NodeCheckpoint state();
    [[nodiscard]] NodeSummary so_far() const;
    /// The schedule's factor in the step that comes next.
    [[nodiscard]] double rate_factor() const;
    /// Whether the last epoch's evaluation, over all nodes, says that training is over.
    [[nodiscard]] bool ends_early();
    void agree();
    /// The next epoch, or the rest of the one that a checkpoint was taken in.
    void begin_epoch();
    void train_epoch();
    void train_step(std::int64_t step_of_epoch);
    /// Completes what the last step left under way; that is part of the step.
    void finish_step();
    /// Evaluates the plan's data of this index.
    ScoreSums evaluate(const Dataset& dataset, std::size_t data);
    void evaluate_all();
    void evaluate_splits();
    /// Sends what the epoch came to.
    void report_epoch();
    void report_progress(const std::string& phase);
    /// Sends the parameters that this node saves.
    void report_weights();
    void finish();

    const NodeAssignment& assignment_;
    NodeReporter& reporter_;
    Node node_;
    Plan plan_;
    Participation part_;
    std::int64_t steps_done_;
    InputPipeline pipeline_;
    EarlyStopping early_stopping_;
    EpochLog epoch_;
    bool interrupted_ = false;
    StageTimes evaluation_input_;
};

}  // namespace convoy
