#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace convoy {

/// The steps of the checkpoints that nodes told, until all nodes have told theirs. Part of the membership
/// machine; the checkpoints themselves are in a Harvest.
class CheckpointGathering {
  public:
    explicit CheckpointGathering(std::size_t nodes) : steps_(nodes) {}

    /// A node told a checkpoint. Returns its step when those of all nodes are there; then the next gathering
    /// begins. Throws DisagreementError where the node told another one before, or where the nodes' steps
    /// differ.
    std::optional<std::int64_t> tell(std::size_t rank, std::int64_t step);

  private:
    std::vector<std::optional<std::int64_t>> steps_;  ///< by rank
};

}  // namespace convoy
