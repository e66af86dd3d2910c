#pragma once

#include <memory>
#include <vector>

#include "base/clock.hpp"
#include "data/pipeline.hpp"
#include "job/node_job.hpp"
#include "measure/system_sampler.hpp"
#include "program/kernel.hpp"
#include "train/node_data.hpp"

namespace convoy {

/// What a node has, whatever it takes part in: its data, its back-end, its readings of /proc and its totals.
class Node {
  public:
    /// Reads the data. communicator: whose traffic is sampled; it outlives this object.
    Node(const NodeAssignment& assignment, const Communicator& communicator);

    [[nodiscard]] const DataSplits& data() const { return data_.splits; }
    [[nodiscard]] Backend& backend() { return *backend_; }

    /// Seconds of whole epochs, added to the totals.
    void add_epoch(double train_s, double evaluate_s);
    void add_checkpoint(double seconds) { checkpoint_s_ += seconds; }
    /// The run's totals until now, those of the processes before this one among them. batches: times of the
    /// stages that made the batches.
    [[nodiscard]] NodeSummary so_far(std::int64_t steps, const StageTimes& batches) const;
    /// The sampler's readings since the last call, behind those of the processes before.
    [[nodiscard]] std::vector<SystemSample> take_samples();
    void stop_sampling() { sampler_.stop(); }

  private:
    const NodeAssignment& assignment_;
    const Communicator& communicator_;
    TimePoint began_ = Clock::now();
    SystemSampler sampler_;
    NodeData data_;
    std::unique_ptr<Backend> backend_;
    NodeSummary before_;  ///< totals when this process took the run on
    double train_s_ = 0.0, evaluate_s_ = 0.0, checkpoint_s_ = 0.0;
};

}  // namespace convoy
