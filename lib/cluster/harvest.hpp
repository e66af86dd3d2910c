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

/// The results that the nodes of a run tell, while the run goes on and at its end.
class Harvest {
  public:
    /// nodes: the world size. resume: where the run goes on; its records are part of the results.
    Harvest(std::size_t nodes, const std::optional<RunCheckpoint>& resume);

    void take_records(std::int64_t rank, NodeRecords records);
    /// The trained values of the parameters that a node saves.
    void take_weights(std::int64_t rank, std::vector<std::byte> safetensors) {
        weights_[rank] = std::move(safetensors);
    }
    /// A node's checkpoint, with the records that it told until now.
    void take_checkpoint(std::int64_t rank, NodeCheckpoint checkpoint);
    /// The checkpoint of the whole run, once each node has told its own. The next ones are awaited then.
    RunCheckpoint gather_checkpoint();

    /// All results, with the clock offsets of the members. Leaves this empty.
    RunOutcome finish(std::span<const Member> members);

  private:
    struct Told {
        NodeRecords records;  ///< all that the node told in this process
        NodeCheckpoint checkpoint;
        NodeRecords records_at_checkpoint;
    };
    std::vector<Told> nodes_;      ///< by rank
    NodeRecords resumed_records_;  ///< of the checkpoint that the run goes on from
    std::vector<std::int64_t> resumed_from_steps_;
    std::map<std::int64_t, std::vector<std::byte>> weights_;  ///< by rank
};

}  // namespace convoy
