#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "job/checkpoint.hpp"
#include "measure/records.hpp"
#include "program/communicator.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// What a node needs to know to take part in a run.
struct NodeAssignment {
    std::int64_t rank = 0;
    std::int64_t world_size = 1;
    ExperimentSpec spec;
    std::filesystem::path data_folder;  ///< holds one folder per dataset
    int threads = 1;                    ///< compute threads of this node
    int layout_threads = 1;  ///< the most threads of any node: parameter layouts are chosen for them
    std::optional<NodeCheckpoint> resume;  ///< where to go on; absent: at the beginning
};

/// How far a node is, for a progress line.
struct NodeProgress {
    std::int64_t rank = 0;
    std::string phase;                   ///< "read", "prepare", "train", "evaluate"
    std::int64_t epoch = 0, epochs = 0;  ///< counted from 1
    std::int64_t step = 0, steps = 0;    ///< over the whole run
    double loss = 0.0, accuracy = 0.0;   ///< running means over the epoch, this node's examples
    double examples_per_second = 0.0;    ///< all nodes together
};

/// Where a node's job tells what it does. All calls come from the thread that runs the job.
class NodeReporter {
  public:
    NodeReporter() = default;
    NodeReporter(const NodeReporter&) = delete;
    NodeReporter& operator=(const NodeReporter&) = delete;
    NodeReporter(NodeReporter&&) = delete;
    NodeReporter& operator=(NodeReporter&&) = delete;
    virtual ~NodeReporter() = default;

    /// Returns once every node has said the same fingerprint (of spec, version, programs and layouts).
    /// Throws DisagreementError where one said another, DeadlineError where one said nothing in time.
    virtual void agree(const std::string& fingerprint) = 0;
    /// May be called at every step: whoever reports decides how often to tell.
    virtual void progress(const NodeProgress& progress) = 0;
    virtual void records(NodeRecords records) = 0;
    /// The trained values of the parameters that this node saves, as the bytes of a safetensors file. A node
    /// that saves none does not call it.
    virtual void weights(std::span<const std::byte> safetensors) = 0;
    /// What this node has in hand, told where the spec wants checkpoints: by all nodes after the same steps.
    /// May block until the checkpoint before is on disk.
    virtual void checkpoint([[maybe_unused]] NodeCheckpoint checkpoint) {}
    /// Asked before each training step, counted from 1 over the run. False: the run was interrupted and every
    /// node stops before this same step; the job then reports what it has and returns. May block for as long
    /// as the nodes settle on that step.
    [[nodiscard]] virtual bool may_start_step([[maybe_unused]] std::int64_t step) { return true; }
};

}  // namespace convoy
