#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace convoy {

/// Collects the step of each node's checkpoint until all nodes have sent theirs. Part of the membership
/// machine. The checkpoints themselves are in a Harvest.
class CheckpointGathering {
  public:
    explicit CheckpointGathering(std::size_t nodes) : steps_(nodes) {}

    /// Notes that a node sent a checkpoint. Returns the step when all nodes have sent theirs; then the next
    /// gathering begins. Throws DisagreementError if the node sent another checkpoint before, or if the steps
    /// of the nodes differ.
    std::optional<std::int64_t> tell(std::size_t rank, std::int64_t step);

  private:
    std::vector<std::optional<std::int64_t>> steps_;  ///< by rank
};

}  // namespace convoy
