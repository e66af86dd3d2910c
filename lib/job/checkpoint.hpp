#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "measure/records.hpp"

namespace convoy {

/// What early stopping remembers of the epochs that were evaluated.
struct ValidationHistory {
    double best_loss = std::numeric_limits<double>::infinity();
    std::int64_t epochs_without_improvement = 0;
    bool operator==(const ValidationHistory&) const = default;
};

/// What one node has in hand between two training steps: with this, the spec and the data it goes on, in
/// another process, to the same bits. All that is random, and the schedule, follow from the spec and step.
struct NodeCheckpoint {
    std::int64_t step = 0;  ///< training steps that are done
    ValidationHistory validation;
    NodeEpochRecord epoch;                 ///< sums and times so far of the epoch that the next step is in
    std::vector<StepRecord> steps;         ///< of that epoch
    std::vector<OperatorTimes> operators;  ///< of that epoch
    std::vector<SystemSample> system;      ///< that no record of a whole epoch told
    NodeSummary so_far;                    ///< totals of the run; training time that of whole epochs
    /// A safetensors file of the parameters that the node keeps, with their optimizer slots, in plain order.
    /// Empty: the node holds what rank 0 keeps.
    std::vector<std::byte> tensors;
    bool operator==(const NodeCheckpoint&) const = default;
};

/// What all nodes have in hand after the same step.
struct RunCheckpoint {
    NodeRecords records;                           ///< of the whole epochs before, without traces
    std::vector<std::int64_t> resumed_from_steps;  ///< where this run itself went on from a checkpoint
    std::vector<NodeCheckpoint> nodes;             ///< by rank, at least one
    [[nodiscard]] std::int64_t step() const { return nodes.at(0).step; }
    bool operator==(const RunCheckpoint&) const = default;
};

/// All of a node's checkpoint but its tensors, as it travels and as it is kept: NaN survives in CBOR only.
nlohmann::json to_json(const NodeCheckpoint& checkpoint);

/// The way back, without tensors. Throws DataError, which names the field, as records_from_json does.
NodeCheckpoint node_checkpoint_from_json(const nlohmann::json& json);

}  // namespace convoy
