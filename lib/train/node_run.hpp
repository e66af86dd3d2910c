#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "data/dataset.hpp"
#include "data/pipeline.hpp"
#include "measure/operator_timer.hpp"
#include "measure/system_sampler.hpp"
#include "program/executor.hpp"
#include "program/node_job.hpp"
#include "train/early_stopping.hpp"
#include "train/node_programs.hpp"

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
    /// The programs of one phase, with what runs and times them.
    struct Stage {
        ProgramSet programs;
        OperatorTimer timer;
        std::vector<Executor> executors;  ///< by program
        /// All that this rank runs for a batch of context.global_examples.
        StepResult step(std::int64_t rank, BatchSource& source, const StepContext& context);
    };

    void bind();
    /// The schedule's factor in the step that comes next.
    [[nodiscard]] double rate_factor() const;
    /// Whether the validation loss of all nodes says that training is over; own: this node's part of it.
    [[nodiscard]] bool ends_early(const ScoreSums& own);
    void agree();
    void train_epoch(std::int64_t epoch, NodeEpochRecord& record, NodeRecords& records);
    ScoreSums evaluate(const Dataset& dataset, const EpochPlan& plan);
    /// Averages moving statistics over the nodes, and evaluates unless interrupted.
    void evaluate_all(std::int64_t epoch, NodeEpochRecord& record, NodeRecords& records);
    void evaluate_splits(NodeEpochRecord& record);
    void add_step(const StepResult& result, std::int64_t epoch, NodeEpochRecord& record,
                  NodeRecords& records);
    void report_progress(const std::string& phase, std::int64_t epoch, const ScoreSums& sums);
    void finish();

    const NodeAssignment& assignment_;
    Communicator& communicator_;
    NodeReporter& reporter_;
    TimePoint began_ = Clock::now();
    SystemSampler sampler_;
    double read_s_ = 0.0;
    double prepare_s_ = 0.0;  ///< ahead of training
    DataSplits data_;
    RunPlan plan_;
    Graph graph_;
    std::optional<GradientSums> sums_;  ///< where steps are worked off in micro-batches
    Stage training_;
    Stage evaluation_;
    std::vector<Program> programs_;  ///< of this rank: all that the back-end has bound
    std::unique_ptr<Backend> backend_;
    std::vector<std::unique_ptr<BoundProgram>> bound_;  ///< by program
    std::optional<Executor> averaging_;  ///< of moving statistics, where there are any and several nodes
    InputPipeline pipeline_;
    EarlyStopping early_stopping_{assignment_.spec.early_stopping};
    std::int64_t steps_done_ = 0;
    bool interrupted_ = false;
    double train_s_ = 0.0;
    double evaluate_s_ = 0.0;
    double evaluation_preprocess_s_ = 0.0;
    std::int64_t progress_examples_ = 0;  ///< of all nodes, in this epoch
    TimePoint epoch_began_{};
};

}  // namespace convoy
