#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "data/input_pipeline.hpp"
#include "job/node_job.hpp"
#include "measure/contention_meter.hpp"
#include "measure/system_sampler.hpp"
#include "program/kernel.hpp"
#include "train/node_data.hpp"

namespace convoy {

/// The data, the back-end, the readings of /proc and the totals of a node. Of its plan, only the
/// data that it reads matters to them.
class Node {
  public:
    /// Reads the data; role and planned: see load_node_data. kept: data that this process has read for the
    /// same spec and role; absent: it reads them. communicator: its traffic is sampled. assignment
    /// and communicator must outlive this object.
    Node(const NodeAssignment& assignment, const Communicator& communicator, const DataRole& role,
         const DataShape& planned, std::optional<NodeData> kept = std::nullopt);

    [[nodiscard]] const NodeData& data() const { return data_; }
    [[nodiscard]] Backend& backend() { return *backend_; }

    /// From now on it measures whether the node has its machine for itself: all nodes begin together.
    void begin_to_train() { contention_.begin(); }
    /// Adds the seconds of a whole epoch to the totals.
    void add_epoch(double train_s, double evaluate_s);
    void add_fetch(double seconds) { fetch_s_ += seconds; }
    void add_checkpoint(double seconds) { checkpoint_s_ += seconds; }
    /// The totals of the run until now, with the totals of earlier processes of the same run. batches: times
    /// of the stages that made the batches.
    [[nodiscard]] NodeSummary so_far(std::int64_t steps, const StageTimes& batches);
    /// Moves out the sampler's readings since the last call. Their time continues the time of earlier
    /// processes.
    [[nodiscard]] std::vector<SystemSample> take_samples();
    void stop_sampling() { sampler_.stop(); }
    /// Moves the data out, for another Node of this process. The times of reading stay here.
    [[nodiscard]] NodeData take_data();

  private:
    std::optional<Contention> contention();

    const NodeAssignment& assignment_;
    const Communicator& communicator_;
    TimePoint began_ = Clock::now();
    ContentionMeter contention_;  ///< before the sampler, whose thread uses it
    SystemSampler sampler_;
    NodeData data_;
    std::unique_ptr<Backend> backend_;
    NodeSummary before_;  ///< totals at the start of this process
    double fetch_s_ = 0.0, train_s_ = 0.0, evaluate_s_ = 0.0, checkpoint_s_ = 0.0;
};

}  // namespace convoy
