#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace convoy {

/// The user's signals, and the step after which all nodes stop. Part of the membership machine.
///
/// Each node answers a request to stop with the last step that it began, and begins no other until it hears
/// which step is the last for all. The furthest node's step is: no node is beyond it, and every node can
/// reach it, since none has stopped before it.
class Interruption {
  public:
    explicit Interruption(std::size_t nodes) : begun_(nodes) {}

    void signal() { ++signals_; }
    [[nodiscard]] int signals() const { return signals_; }
    /// A node's answer. Returns the last step for all, once, when every node has answered.
    std::optional<std::int64_t> answer(std::size_t rank, std::int64_t begun_step);

  private:
    int signals_ = 0;
    bool settled_ = false;
    std::vector<std::optional<std::int64_t>> begun_;  ///< by rank
};

}  // namespace convoy
