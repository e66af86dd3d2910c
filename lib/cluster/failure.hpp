#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/error.hpp"

namespace convoy {

/// How the launcher learned of a node's failure; the best evidence of a cause comes first. When one node
/// dies, the other nodes soon report that they lost it. Their reports are consequences, in any order of
/// arrival.
enum class Evidence : std::uint8_t {
    /// The node's process was killed or ended by itself, the node reported an error of its own, or the
    /// connection of a node ended whose process the launcher does not have.
    cause,
    silence,       ///< the node did not answer for the deadline, but its connection is open
    disconnected,  ///< the node's connection ended, and how its process ended is not known yet
    late,          ///< the node answers the launcher, but was not ready in time
    /// The node answers the launcher, but did not take part in an exchange for which others waited until
    /// their deadline.
    absent,
    consequence,  ///< the node reports that it lost a peer, or that it waited for a peer in vain
};

/// A failure of a node, or of its links: the evidence, and the node that is blamed.
struct Failure {
    Evidence evidence = Evidence::cause;
    ExitCode code = ExitCode::node_lost;
    std::string message;  ///< the whole line that a user reads
    /// The node that failed. Absent: nodes lost each other, and it is not known which one failed.
    std::optional<std::int64_t> rank = {};
    /// The launcher stood still, so that nodes lost it or each other: no node failed.
    bool is_standstill = false;
};

/// Whether nodes lost each other, or one took no part in an exchange, while all may be well.
inline bool is_unclear(const Failure& failure) {
    return failure.evidence >= Evidence::absent;
}

/// The kind of evidence of an error that a node reports.
Evidence evidence_of_report(ExitCode code);

/// The cause of a failed run: the earliest failure with the best evidence. nullptr if there is no failure.
const Failure* root_cause(std::span<const Failure> in_order_of_arrival);

}  // namespace convoy
