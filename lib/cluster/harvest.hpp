#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "cluster/launcher.hpp"
#include "cluster/member.hpp"

namespace convoy {

/// Collects the results of the nodes, during a run and at its end.
class Harvest {
  public:
    /// nodes: the number of ranks. resume: the checkpoint from which the run continues; its records are a
    /// part of the results.
    Harvest(std::size_t nodes, const std::optional<RunCheckpoint>& resume);

    void take_records(std::int64_t rank, NodeRecords records);
    /// The trained values of the parameters that a node saves.
    void take_weights(std::int64_t rank, std::vector<std::byte> safetensors) {
        weights_[rank] = std::move(safetensors);
    }
    /// Takes a node's checkpoint, and keeps the node's records so far with it.
    void take_checkpoint(std::int64_t rank, NodeCheckpoint checkpoint);
    /// The checkpoint of the whole run. Call it when each node has sent its checkpoint. Then the next
    /// checkpoints may come.
    RunCheckpoint gather_checkpoint();

    /// Moves out all results, with the clock offsets of the members. The object is empty afterwards.
    RunOutcome finish(std::span<const Member> members);

  private:
    struct Told {
        NodeRecords records;  ///< all records that the node sent in this process
        NodeCheckpoint checkpoint;
        NodeRecords records_at_checkpoint;
    };
    std::vector<Told> nodes_;      ///< by rank
    NodeRecords resumed_records_;  ///< records of the checkpoint from which the run continues
    std::vector<std::int64_t> resumed_from_steps_;
    std::map<std::int64_t, std::vector<std::byte>> weights_;  ///< by rank
};

}  // namespace convoy
