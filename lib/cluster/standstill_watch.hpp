#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace convoy {

/// Tells when all nodes stand still, before the first step or where one node trains alone. Part of the
/// membership machine.
///
/// A node works if it tells something, or if its job uses processor time. A thread that waits for a dead disk
/// or server uses none, or wakes now and then to look whether it is back: a small share of the time between
/// two looks counts as none.
class StandstillWatch {
  public:
    explicit StandstillWatch(std::size_t nodes) : looks_(nodes), worked_(nodes) {}

    /// Notes the processor time that a node's job has used.
    void look(std::size_t rank, double busy_us, TimePoint now);
    /// Notes that a node works.
    void note_work() { still_beats_ = 0; }
    /// Whether one of these nodes has used processor time since the last call.
    template <class Which>
    bool worked_since_beat(Which&& which) {
        bool any = false;
        for (std::size_t rank = 0; rank < looks_.size(); ++rank)
            if (std::exchange(worked_[rank], 0) != 0 && which(rank)) any = true;
        return any;
    }
    /// Counts a heartbeat. True once, when more than most_beats have passed without work of any node.
    bool is_overdue_after_beat(int most_beats) { return ++still_beats_ == most_beats + 1; }

  private:
    struct Look {
        double busy_us;
        TimePoint at;
    };
    std::vector<std::optional<Look>> looks_;  ///< the last of each node
    std::vector<std::uint8_t> worked_;        ///< used processor time since worked_since_beat
    int still_beats_ = 0;                     ///< heartbeats since the last work
};

}  // namespace convoy
