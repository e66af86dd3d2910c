#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "data/pipeline.hpp"
#include "job/node_job.hpp"
#include "measure/system_sampler.hpp"
#include "train/early_stopping.hpp"
#include "train/node_data.hpp"
#include "train/node_programs.hpp"
#include "train/stage.hpp"

namespace convoy {

/// Everything that one node holds while it takes part in a run, from reading the data to the last record.
class NodeRun {
  public:
    NodeRun(const NodeAssignment& assignment, Communicator& communicator, NodeReporter& reporter);
    NodeRun(const NodeRun&) = delete;
    NodeRun& operator=(const NodeRun&) = delete;
    NodeRun(NodeRun&&) = delete;
    NodeRun& operator=(NodeRun&&) = delete;
    /// Where a step was left in the middle, its collectives may still be adding into the buckets of bound_:
    /// ends them before those go.
    ~NodeRun();

    /// All epochs; see run_node.
    void run();

  private:
    /// The epoch that the next step is in: what it has come to, and what it will tell.
    struct Epoch {
        NodeEpochRecord record;  ///< its train_s is of before this process took it on
        NodeRecords records;
        TimePoint began{};                       ///< or was taken on, from a checkpoint
        double checkpoint_s = 0.0;               ///< since then
        std::int64_t examples_of_all_nodes = 0;  ///< since then
        [[nodiscard]] double train_s() const {
            return record.train_s + Seconds(Clock::now() - began).count() - checkpoint_s;
        }
    };

    void bind();
    /// Goes on where a checkpoint of this run left this node. Throws DataError where it is not this run's.
    void restore(const NodeCheckpoint& checkpoint);
    /// Whether the spec wants a checkpoint between the last step and the next.
    [[nodiscard]] bool checkpoint_is_due() const;
    /// Tells the reporter what this node has in hand.
    void take_checkpoint();
    [[nodiscard]] NodeCheckpoint in_hand();
    /// The run's totals until now, those of the processes before this one among them.
    [[nodiscard]] InputTimes input_so_far() const;
    [[nodiscard]] NodeSummary so_far() const;
    /// The sampler's readings since the last call, behind those of the processes before.
    [[nodiscard]] std::vector<SystemSample> take_samples();
    /// The schedule's factor in the step that comes next.
    [[nodiscard]] double rate_factor() const;
    /// Whether the last epoch's evaluation, over all nodes, says that training is over.
    [[nodiscard]] bool ends_early();
    /// Sums over all nodes: the same bits on each, so that all decide the same.
    [[nodiscard]] std::array<double, 2> over_nodes(double first, double second);
    void agree();
    /// The next epoch, or the rest of the one that a checkpoint was taken in.
    void begin_epoch();
    void train_epoch();
    ScoreSums evaluate(const Dataset& dataset, const EpochPlan& plan);
    /// Averages moving statistics over the nodes, and evaluates unless interrupted.
    void evaluate_all();
    void evaluate_splits();
    /// Brings what nodes have each for themselves to its mean, where there are programs for it.
    void average(std::vector<Executor>& averaging);
    void add_step(const StepResult& result);
    /// Brings the weights to what the last step makes of them, which is part of that step.
    void end_step();
    /// Sends what the epoch came to.
    void report_epoch();
    void report_progress(const std::string& phase);
    void finish();

    const NodeAssignment& assignment_;
    Communicator& communicator_;
    NodeReporter& reporter_;
    TimePoint began_ = Clock::now();
    SystemSampler sampler_;
    NodeData data_;
    RunPlan plan_;
    Graph graph_;
    std::optional<GradientSums> sums_;  ///< where steps are worked off in micro-batches
    Stage training_;
    Stage evaluation_;
    std::vector<Program> programs_;  ///< of this rank: all that the back-end has bound
    std::unique_ptr<Backend> backend_;
    std::vector<std::unique_ptr<BoundProgram>> bound_;  ///< by program
    std::vector<Executor> averaging_;  ///< before an evaluation: of moving statistics, and of weights
    OperatorTimer checkpoint_timer_;
    std::vector<Executor> checkpoint_averaging_;  ///< before a checkpoint, timed apart: of moving statistics
    NodeSummary before_;                          ///< totals when this process took the run on
    std::int64_t steps_done_;
    InputPipeline pipeline_;
    EarlyStopping early_stopping_;
    Epoch epoch_;
    bool interrupted_ = false;
    double train_s_ = 0.0;  ///< of whole epochs
    double evaluate_s_ = 0.0;
    double checkpoint_s_ = 0.0;
    StageTimes evaluation_input_;
};

}  // namespace convoy
