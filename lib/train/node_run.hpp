#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "data/input_pipeline.hpp"
#include "job/node_job.hpp"
#include "measure/core_looks.hpp"
#include "plan/plan.hpp"
#include "train/early_stopping.hpp"
#include "train/epoch_log.hpp"
#include "train/node.hpp"
#include "train/node_faults.hpp"
#include "train/participation.hpp"
#include "train/past_messages.hpp"
#include "train/step_schedule.hpp"

namespace convoy {

/// The plan of a run, the plan of one node in it, and the shape of the data for which both were compiled.
struct RunPlan {
    DataShape shape;
    Plan plan;
    NodePlan node;
};

/// One node's run: epochs of training steps, evaluations and checkpoints, as its plan says.
class NodeRun {
  public:
    /// Reads the data that the node's plan wants, unless this process has kept them. assignment, communicator
    /// and reporter must outlive this object.
    NodeRun(const NodeAssignment& assignment, RunPlan plan, Communicator& communicator,
            NodeReporter& reporter, std::optional<NodeData> kept = std::nullopt);

    /// Runs all epochs; see run_node. Returns false if it stands still before the end, since a node joins.
    [[nodiscard]] bool run();
    /// Adds the seconds in which the node got its data from addresses, before this object was made.
    void add_fetch(double seconds) { node_.add_fetch(seconds); }
    /// Whether the node has begun to train: its state can go on in another NodeRun.
    [[nodiscard]] bool has_begun() const { return has_begun_; }
    /// After an error of a step, or when it stands still: tells the records so far, and returns the state
    /// after the last step that was committed, with which another NodeRun of this process goes on. The plan
    /// commits by step.
    [[nodiscard]] NodeCheckpoint leave();
    /// The parameters and the optimizer's state of this node, as a checkpoint has them.
    [[nodiscard]] std::vector<std::byte> tensors();
    /// The messages that the node has handled so far, by the place of their sender (RankApart); empty if it
    /// handles none.
    [[nodiscard]] PastMessages past_messages() const;
    /// Goes on behind these messages, as the assignment says how the run goes on.
    void go_on_behind(const PastMessages& past);
    [[nodiscard]] NodeData take_data() { return node_.take_data(); }
    /// How many times longer than usual the node computes, by a fault; the next NodeRun of the process, too.
    [[nodiscard]] double slowness() const { return part_.slowness(); }
    void slow_down_by(double factor) { part_.slow_down_by(factor); }

  private:
    /// Restores the state of this node from a checkpoint. Throws DataError if the checkpoint is not of this
    /// run.
    void restore(const NodeCheckpoint& checkpoint);
    /// Gives the reporter the records so far, and then the node's state between two steps.
    void take_checkpoint();
    [[nodiscard]] NodeCheckpoint state();
    [[nodiscard]] NodeSummary so_far();
    /// Whether training ends after this epoch, by the evaluation over all nodes.
    [[nodiscard]] bool ends_early();
    void agree();
    /// Answers the peers that have the values of the last step not yet, if this node has done it.
    void answer_late_peers();
    /// Begins the epoch of the next step: a new epoch, or the rest of the epoch in which the checkpoint was
    /// taken.
    void begin_epoch();
    void train_epoch();
    void train_step(std::int64_t step_of_epoch);
    /// Completes the exchanges that the last step left under way, as a part of that step.
    void finish_step();
    /// Evaluates a dataset. dataset: absent if this node does not read it. data: its index in
    /// DataPlan::evaluations.
    ScoreSums evaluate(const std::optional<Dataset>& dataset, std::size_t data);
    void evaluate_all();
    void evaluate_splits();
    /// Whether the run goes on without nodes that it loses. Then steps are committed whole.
    [[nodiscard]] bool shrinks() const { return assignment_.spec.failures.policy == FailurePolicy::shrink; }
    /// Whether no step of the epoch is done.
    [[nodiscard]] bool is_between_epochs() const;
    /// Whether steps of the epoch are to be sent now.
    [[nodiscard]] bool steps_are_due() const;
    /// Sends the first `count` steps that were not sent yet, and the readings so far.
    void report_steps(std::size_t count);
    /// Sends the other records of the epoch.
    void report_epoch();
    void report_progress(const std::string& phase);
    /// Sends the parameters that this node saves.
    void report_weights();
    void finish();

    const NodeAssignment& assignment_;
    NodeReporter& reporter_;
    Node node_;
    DataShape shape_;
    Plan plan_;
    StepSchedule schedule_;
    Participation part_;
    NodeFaults faults_;
    std::int64_t steps_done_;
    EpochPlan batches_;
    std::vector<std::int64_t> label_counts_;
    InputPipeline pipeline_;
    EarlyStopping early_stopping_;
    EpochLog epoch_;
    CoreLooks core_looks_;
    bool interrupted_ = false, stands_still_ = false;
    bool has_begun_ = false;
    TimePoint told_steps_at_ = Clock::now();
    StageTimes evaluation_input_;
};

}  // namespace convoy
