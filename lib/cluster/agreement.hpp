#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
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
    std::optional<Difference> say(std::size_t rank, Fingerprints fingerprints, TimePoint now);
    /// Whether all nodes have given their fingerprints and agree. If so, a new round begins.
    bool reached();
    /// The first node whose fingerprints are missing when the deadline after the first ones has passed. It is
    /// returned once in a round.
    std::optional<std::size_t> overdue(TimePoint now, Clock::duration deadline);

  private:
    std::vector<std::optional<Fingerprints>> said_;  ///< by rank
    std::optional<TimePoint> first_came_;            ///< set while fingerprints of other nodes are missing
};

/// A topic in the words of an error, and what the user can do if nodes disagree on it.
struct TopicWords {
    std::string_view what, remedy;
};
TopicWords words_of(std::string_view topic);

}  // namespace convoy
