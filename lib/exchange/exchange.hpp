#pragma once

#include <cstdint>
#include <vector>

#include "spec/all_reduce_spec.hpp"

namespace convoy {

/// How ranks exchange a tensor. Every rank of the group runs the same exchange, each with its own buffer.
enum class ExchangeVerb : std::uint8_t {
    all_reduce,  ///< all buffers become their sum
    send,        ///< this rank's buffer goes to the root, which receives it
    receive,     ///< this rank's buffer becomes that of the root, which sends it
    push,        ///< the root adds the buffers of all others to its own, in the order of the group
    pull,        ///< all others' buffers become the root's, which sends it to each
    broadcast,   ///< the same down a tree: the root sends fewer times, the last rank gets it later
    gather,      ///< the root gets the buffer of each rank of the group, one behind the other
};

/// Which ranks exchange what, and how. A value: programs hold it, the communicator carries it out.
struct Exchange {
    ExchangeVerb verb = ExchangeVerb::all_reduce;
    /// The ranks that take part, in the order in which sums are taken; empty: all of the run. Of send and
    /// receive: not used.
    std::vector<std::int64_t> group = {};
    std::int64_t root = 0;  ///< a rank of the run; not used by all_reduce
    AllReduceOptions options = {};
    bool operator==(const Exchange&) const = default;
};

}  // namespace convoy
