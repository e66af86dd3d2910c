#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "measure/records.hpp"

namespace convoy {

/// The state of early stopping after the evaluated epochs.
struct ValidationHistory {
    double best_loss = std::numeric_limits<double>::infinity();
    std::int64_t epochs_without_improvement = 0;
    bool operator==(const ValidationHistory&) const = default;
};

/// The state of one node between two training steps. With this state, the spec and the data, another process
/// continues the run to the same bits. Random numbers and the learning-rate schedule are functions of the
/// spec and the step, so they are not saved.
struct NodeCheckpoint {
    std::int64_t step = 0;  ///< number of training steps that are done
    ValidationHistory validation;
    NodeEpochRecord epoch;                 ///< sums and times so far, in the epoch of the next step
    std::vector<StepRecord> steps;         ///< of that epoch, behind those that the node has told
    std::vector<OperatorTimes> operators;  ///< times so far, in that epoch
    std::vector<SystemSample> system;      ///< behind those that the node has told
    NodeSummary so_far;                    ///< totals of the run; training time counts whole epochs only
    /// The bytes of a safetensors file: the parameters that this node keeps, their optimizer slots and
    /// residuals, in plain order. Empty if the node keeps no parameters; it then restores the tensors of rank
    /// 0.
    std::vector<std::byte> tensors;
    bool operator==(const NodeCheckpoint&) const = default;
};

/// The state of all nodes after the same step.
struct RunCheckpoint {
    /// How far the records of each rank count that the run had told before, see RecordSink::mark; also of
    /// ranks behind `nodes` that the run had earlier.
    std::vector<std::uint64_t> marks;
    std::vector<NodeSummary> gone;  ///< totals of the ranks that the run had earlier
    /// The steps of the checkpoints from which this run was resumed.
    std::vector<std::int64_t> resumed_from_steps;
    std::vector<NodeCheckpoint> nodes;  ///< by rank, at least one
    [[nodiscard]] std::int64_t step() const { return nodes.at(0).step; }
    bool operator==(const RunCheckpoint&) const = default;
};

/// A node's checkpoint without its tensors, for sending and for files. Write it as CBOR: JSON text has no
/// NaN.
nlohmann::json to_json(const NodeCheckpoint& checkpoint);

/// Reads a node's checkpoint without tensors. Throws a DataError that names the field, as records_from_json
/// does.
NodeCheckpoint node_checkpoint_from_json(const nlohmann::json& json);

}  // namespace convoy
