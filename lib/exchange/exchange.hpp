#pragma once

#include <cstdint>
#include <vector>

#include "spec/all_reduce_spec.hpp"

namespace convoy {

/// What ranks do with a tensor each. Every rank of the group starts the same exchange with its own buffer; of
/// send and receive the one rank starts the send, the other the receive. All buffers of an exchange have the
/// same number of elements, but for the root's in a gather.
enum class ExchangeVerb : std::uint8_t {
    all_reduce,  ///< all buffers become their sum
    send,        ///< this rank's buffer goes to the root, which receives it
    receive,     ///< this rank's buffer becomes that of the root, which sends it
    push,        ///< the root adds the buffers of all others to its own, in the order of the group
    pull,        ///< all others' buffers become the root's, which sends it to each
    broadcast,   ///< the same down a tree: the root sends fewer times, the last rank gets it later
    gather,      ///< the root's buffer has a place for the buffer of each rank of the group, one behind the
                 ///< other; its own lies there already, those of the others are put into theirs
};

/// Which ranks exchange what, and how. A value: programs hold it, the communicator carries it out.
struct Exchange {
    ExchangeVerb verb = ExchangeVerb::all_reduce;
    /// The ranks that take part, in the order in which sums are taken; empty: all of the run. Of send and
    /// receive: not used.
    std::vector<std::int64_t> group = {};
    std::int64_t root = 0;  ///< a rank of the run; not used by all_reduce
    /// All of it counts for all_reduce; of the others the segments, the connection and how floats travel.
    AllReduceOptions options = {};
    bool operator==(const Exchange&) const = default;
};

}  // namespace convoy
