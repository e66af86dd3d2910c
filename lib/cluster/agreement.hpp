#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace convoy {

/// The agreement of all nodes on one fingerprint of the work. A run may have several rounds of it. Part of
/// the membership machine.
class Agreement {
  public:
    explicit Agreement(std::size_t nodes) : fingerprints_(nodes) {}

    /// Two nodes with different fingerprints.
    struct Difference {
        std::size_t one = 0, other = 0;
    };
    /// Notes the fingerprint of a node. Returns the first node whose fingerprint differs, if there is one.
    std::optional<Difference> say(std::size_t rank, std::string fingerprint, TimePoint now);
    [[nodiscard]] const std::string& fingerprint(std::size_t rank) const {
        return fingerprints_.at(rank).value();
    }
    /// Whether all nodes have given the same fingerprint. If so, a new round begins.
    bool reached();
    /// The first node whose fingerprint is missing when the deadline after the first fingerprint has passed.
    /// It is returned once in a round.
    std::optional<std::size_t> overdue(TimePoint now, Clock::duration deadline);

  private:
    std::vector<std::optional<std::string>> fingerprints_;  ///< by rank
    std::optional<TimePoint> first_came_;  ///< set while fingerprints of other nodes are missing
};

}  // namespace convoy
