#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/error.hpp"

namespace convoy {

/// How the launcher learned that a node went wrong, best evidence of a cause first. When one node dies the
/// others soon report that they lost it: theirs are consequences, whatever order the reports come in.
enum class Evidence : std::uint8_t {
    cause,         ///< its process was killed or ended by itself, or it reported an error of its own
    silence,       ///< it answered nothing for the deadline, though its connection stands
    disconnected,  ///< its connection ended, and nothing else is known
    absent,  ///< it answers the launcher, but took no part in what others waited for until their deadline
    consequence,  ///< it reports that it lost a peer, or waited for one in vain
};

struct Failure {
    Evidence evidence = Evidence::cause;
    ExitCode code = ExitCode::node_lost;
    std::string message;  ///< the whole line that a user reads
};

/// The evidence that a node's own report of an error is.
Evidence evidence_of_report(ExitCode code);

/// The failure to blame: the earliest of those with the best evidence. nullptr where there is none.
const Failure* root_cause(std::span<const Failure> in_order_of_arrival);

}  // namespace convoy
