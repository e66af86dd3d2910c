#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/fingerprints.hpp"

namespace convoy {

/// The agreement of all nodes on the fingerprints of their work. A topic is compared among the nodes that
/// give it. A run may have several rounds of it. Part of the membership machine.
class Agreement {
  public:
    explicit Agreement(std::size_t nodes) : said_(nodes) {}

    /// Two nodes with different fingerprints of a topic.
    struct Difference {
        std::size_t one = 0, other = 0;
        std::string topic;
        std::string of_one, of_other;  ///< their fingerprints
    };
    /// Notes the fingerprints of a node. Returns a difference from the first node that disagrees, if there is
    /// one.
    std::optional<Difference> say(std::size_t rank, Fingerprints fingerprints);
    /// Whether all nodes have given their fingerprints and agree. If so, a new round begins.
    bool reached();
    /// Counts a heartbeat. Returns the first node whose fingerprints are missing when more than most_beats
    /// have passed since the first fingerprints of the round. It is returned once in a round.
    std::optional<std::size_t> overdue_after_beat(int most_beats);
    /// The heartbeats so far count no more: a node that owes fingerprints is known to work.
    void wait_longer() {
        if (beats_) beats_ = 0;
    }
    /// Whether a node's fingerprints are missing.
    [[nodiscard]] bool is_owed_by(std::size_t rank) const { return !said_.at(rank).has_value(); }
    /// Whether no round has begun yet: no node has given fingerprints.
    [[nodiscard]] bool is_untouched() const { return !touched_; }

  private:
    std::vector<std::optional<Fingerprints>> said_;  ///< by rank
    std::optional<int> beats_;  ///< since the first fingerprints, while those of other nodes are missing
    bool touched_ = false;
};

/// A topic in the words of an error, and what the user can do if nodes disagree on it.
struct TopicWords {
    std::string_view what, remedy;
};
TopicWords words_of(std::string_view topic);

}  // namespace convoy
