#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>

#include "net/channel.hpp"

namespace convoy::test {

/// Counts the frames that one node sends, and ends the node at a chosen one. All members but sent() belong to
/// the thread of the node's fabrics.
class Lifespan {
  public:
    /// fatal_frame: the frame, counted from 0, in whose place all links of the node close. Absent: none.
    explicit Lifespan(std::optional<std::int64_t> fatal_frame) : fatal_frame_(fatal_frame) {}

    void add(Channel& channel) { channels_.insert(&channel); }
    void remove(Channel& channel) { channels_.erase(&channel); }

    /// Counts one frame. False where the node is dead: this frame and all later ones stay unsent.
    bool may_send();
    /// Whether the node has reached its fatal frame.
    [[nodiscard]] bool over() const { return over_; }
    /// Frames sent so far. Any thread may ask.
    [[nodiscard]] std::int64_t sent() const { return sent_.load(std::memory_order_relaxed); }

  private:
    std::optional<std::int64_t> fatal_frame_;
    std::set<Channel*> channels_;
    std::atomic<std::int64_t> sent_{0};
    bool over_ = false;
};

/// One end of a link whose owner may die: each write is one frame of the owner's lifespan. The dead node says
/// nothing more, not even why, as a killed process.
std::unique_ptr<Channel> make_mortal(std::unique_ptr<Channel> channel, std::shared_ptr<Lifespan> owner);

}  // namespace convoy::test
