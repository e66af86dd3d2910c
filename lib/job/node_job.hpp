#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "job/checkpoint.hpp"
#include "job/fingerprints.hpp"
#include "measure/records.hpp"
#include "program/communicator.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// A rank of a run whose workers take steps apart, after the nodes of the run have changed.
struct RankApart {
    std::int64_t place = 0;  ///< the rank that it had when the run began
    std::int64_t step = 0;   ///< the last step that it has done
    bool operator==(const RankApart&) const = default;
};

/// How a run goes on whose workers take steps apart: each from its own step, and with its own shares.
struct GoingApart {
    std::int64_t shares = 1;       ///< of a batch: one for each worker with which the run began
    std::vector<RankApart> ranks;  ///< by rank
    bool operator==(const GoingApart&) const = default;
};

/// The input of a node that takes part in a run.
struct NodeAssignment {
    std::int64_t rank = 0;
    std::int64_t world_size = 1;
    ExperimentSpec spec;
    std::filesystem::path data_folder;  ///< has one folder for each dataset
    int threads = 1;                    ///< compute threads of this node
    int layout_threads = 1;  ///< the most threads of any node; parameter layouts are chosen for this number
    std::vector<FaultSpec> faults = {};    ///< that this node does to itself; those of the spec do not count
    std::optional<NodeCheckpoint> resume;  ///< the state to continue from; absent: the run begins at step 0
    /// Counts the memberships of a run whose nodes change. Above 0, a job goes on with the state of its last
    /// call, but with the tensors and the step of `resume` if that is there; a job that was not called before
    /// has joined the run, and begins with these.
    std::int64_t generation = 0;
    /// With a generation above 0, if the workers of the run take steps apart.
    std::optional<GoingApart> apart = {};
};

/// The phases of a node's job.
namespace phase {
inline constexpr auto fetch = "fetch";      ///< it gets files from addresses
inline constexpr auto read = "read";        ///< it reads data
inline constexpr auto connect = "connect";  ///< it waits for the connections to its peers
inline constexpr auto prepare = "prepare";
inline constexpr auto train = "train";
inline constexpr auto evaluate = "evaluate";
}  // namespace phase

/// The progress of a node, for a progress line.
struct NodeProgress {
    std::int64_t rank = 0;
    std::string phase;                   ///< see namespace phase
    std::string file = {};               ///< in the phases fetch and read: the file
    std::int64_t epoch = 0, epochs = 0;  ///< counted from 1
    std::int64_t step = 0, steps = 0;    ///< over the whole run
    double loss = 0.0, accuracy = 0.0;   ///< means over this node's examples of the epoch so far
    std::int64_t examples = 0;           ///< these examples; 0 if this node does not compute the loss
    double examples_per_second = 0.0;    ///< of all nodes together
};

/// The answer to a node that is about to begin a step.
enum class StepAnswer : std::uint8_t {
    begin,
    stop,        ///< the run was interrupted: the job reports its results, and returns
    stand_still  ///< a node joins: the job calls stand_still with its state, and returns
};

/// Takes the results of a node's job. All calls come from the thread that runs the job.
class NodeReporter {
  public:
    NodeReporter() = default;
    NodeReporter(const NodeReporter&) = delete;
    NodeReporter& operator=(const NodeReporter&) = delete;
    NodeReporter(NodeReporter&&) = delete;
    NodeReporter& operator=(NodeReporter&&) = delete;
    virtual ~NodeReporter() = default;

    /// Compares fingerprints over all nodes, and returns when all nodes have given theirs and agree. A topic
    /// is compared among the nodes that give it. Throws DisagreementError if two nodes differ in a topic,
    /// DeadlineError if a node gave no fingerprints in time.
    virtual void agree(const Fingerprints& fingerprints) = 0;
    /// May be called at every step. The implementation decides how often it sends or prints the progress.
    virtual void progress(const NodeProgress& progress) = 0;
    virtual void records(NodeRecords records) = 0;
    /// Takes the trained values of the parameters that this node saves, as the bytes of a safetensors file. A
    /// node that saves no parameters does not call it.
    virtual void weights(std::span<const std::byte> safetensors) = 0;
    /// Takes the state of this node. If the spec asks for checkpoints, all nodes call it after the same
    /// steps. It may block until the checkpoint before is on disk.
    // NOLINTNEXTLINE(performance-unnecessary-value-param): those that keep it move it
    virtual void checkpoint([[maybe_unused]] NodeCheckpoint checkpoint) {}
    /// The job is about to do this fault of the spec to itself. The call returns when the launcher has noted
    /// it, so that it does not happen again.
    virtual void fault([[maybe_unused]] const FaultSpec& fault) {}
    /// From now on, no byte comes to this node or from it, as behind a network partition.
    virtual void cut_off() {}
    /// The job calls it before each training step. step: counted from 1 over the run. Unless it may begin,
    /// every node gets the same answer before this same step. The call may block until the nodes have agreed
    /// on the step.
    [[nodiscard]] virtual StepAnswer ask_for_step([[maybe_unused]] std::int64_t step) {
        return StepAnswer::begin;
    }
    /// The job stands still, and keeps this state after its last step. It then returns, and is called again
    /// with a new assignment.
    // NOLINTNEXTLINE(performance-unnecessary-value-param): those that keep the state move it
    virtual void stand_still([[maybe_unused]] NodeCheckpoint state) {}
    /// The job lost a peer in a step that was not committed, and could go on from its state before this step
    /// with fewer nodes. The job then returns, and is called again with a new assignment if the run goes on.
    /// lost: the error in the words of this node. Throws `lost` if no run goes on without all its nodes.
    // NOLINTNEXTLINE(performance-unnecessary-value-param): those that keep the state move it
    virtual void suspend(const Error& lost, [[maybe_unused]] NodeCheckpoint state) {
        throw Error(lost.code(), lost.what());
    }
};

}  // namespace convoy
