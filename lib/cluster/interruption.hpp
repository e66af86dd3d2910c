#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace convoy {

/// The user's signals, and the step after which all nodes stop. Part of the membership machine.
///
/// Each node answers a request to stop with the number of the last step that it began. It then begins no
/// other step until it receives the last step for all. The last step for all is the largest of these numbers.
/// No node is beyond this step, and every node can reach it, since no node has stopped before it.
class Interruption {
  public:
    explicit Interruption(std::size_t nodes) : begun_(nodes) {}

    void signal() { ++signals_; }
    [[nodiscard]] int signals() const { return signals_; }
    /// Notes a node's answer. When all nodes have answered, it returns the last step for all, once.
    std::optional<std::int64_t> answer(std::size_t rank, std::int64_t begun_step);
    /// Whether all nodes have answered that they have begun no step.
    [[nodiscard]] bool came_before_first_step() const { return settled_ && last_step_ == 0; }

  private:
    int signals_ = 0;
    bool settled_ = false;
    std::int64_t last_step_ = 0;
    std::vector<std::optional<std::int64_t>> begun_;  ///< by rank
};

}  // namespace convoy
