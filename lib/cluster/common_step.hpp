#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace convoy {

/// The step after which all nodes stand still. Part of the membership machine.
///
/// Each node answers a request with the number of the last step that it began. It then begins no other step
/// until it receives the common step, which is the largest of these numbers. No node is beyond this step, and
/// every node can reach it, since no node has stopped before it.
class CommonStep {
  public:
    explicit CommonStep(std::size_t nodes) : begun_(nodes) {}

    /// Notes a node's answer. When all nodes have answered, it returns the common step, once.
    std::optional<std::int64_t> answer(std::size_t rank, std::int64_t begun_step);

  private:
    bool settled_ = false;
    std::vector<std::optional<std::int64_t>> begun_;  ///< by rank
};

}  // namespace convoy
