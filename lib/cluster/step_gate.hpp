#pragma once

#include <cstdint>
#include <optional>

#include "job/node_job.hpp"

namespace convoy {

/// Lets a node begin its steps, until all nodes stop or stand still after a common step (CommonStep). The
/// worker's side of it; not safe for several threads.
class StepGate {
  public:
    /// The run is to stop, or to stand still for a node that joins. No step begins before the common step is
    /// known. Both return the last step that the node began.
    std::int64_t ask_to_stop();
    std::int64_t ask_to_pause();
    /// The common step after which all nodes stop, or stand still.
    void stop_after(std::int64_t step) { stop_.after = step; }
    void pause_after(std::int64_t step) { pause_.after = step; }
    /// No node stands still any more: a node was lost, or the nodes go on.
    void forget_pause() { pause_ = {}; }

    /// Whether it is known what begin() answers.
    [[nodiscard]] bool is_decided() const { return stop_.is_decided() && pause_.is_decided(); }
    /// The answer to a node that is about to begin a step. step: counted from 1.
    StepAnswer begin(std::int64_t step);

  private:
    struct Request {
        bool asked = false;
        std::optional<std::int64_t> after = {};
        [[nodiscard]] bool is_decided() const { return !asked || after; }
        [[nodiscard]] bool is_passed(std::int64_t step) const { return after && step > *after; }
    };
    Request stop_, pause_;
    std::int64_t begun_ = 0;
};

}  // namespace convoy
