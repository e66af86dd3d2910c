#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "cluster/common_step.hpp"

namespace convoy {

/// The user's signals, the launcher's own wish to stop, and the step after which all nodes stop. Part of the
/// membership machine.
class Interruption {
  public:
    explicit Interruption(std::size_t nodes) : last_(nodes) {}

    void signal() { ++signals_; }
    void want_stop() { stop_wanted_ = true; }
    /// The user's signals.
    [[nodiscard]] int signals() const { return signals_; }
    [[nodiscard]] bool is_stop_wanted() const { return stop_wanted_; }
    [[nodiscard]] bool is_wanted() const { return stop_wanted_ || signals_ > 0; }
    /// Notes a node's answer. When all nodes have answered, it returns the last step for all, once.
    std::optional<std::int64_t> answer(std::size_t rank, std::int64_t begun_step);
    /// Whether there was a signal, and all nodes then answered that they have begun no step.
    [[nodiscard]] bool came_before_first_step() const { return before_first_step_; }

  private:
    int signals_ = 0;
    bool stop_wanted_ = false;
    bool before_first_step_ = false;
    CommonStep last_;
};

}  // namespace convoy
