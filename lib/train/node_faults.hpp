#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "job/node_job.hpp"
#include "spec/experiment_spec.hpp"
#include "train/participation.hpp"

namespace convoy {

/// The faults that a node does to itself.
class NodeFaults {
  public:
    explicit NodeFaults(std::vector<FaultSpec> faults) : faults_(std::move(faults)) {}

    /// The node begins a step, counted from 1 over the run. If it has a fault at this step, the reporter is
    /// told, and then the fault is done. Most of them do not return.
    void begin_step(std::int64_t step, NodeReporter& reporter, Participation& part) const;

  private:
    std::vector<FaultSpec> faults_;
};

}  // namespace convoy
