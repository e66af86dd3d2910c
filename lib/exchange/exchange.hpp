#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/all_reduce_spec.hpp"

namespace convoy {

/// The kind of an exchange. Every rank of the group starts the same exchange with its own buffer. For send
/// and receive, one rank starts the send and the other rank starts the receive. All buffers of an exchange
/// have the same number of elements, except the root's buffer in a gather.
enum class ExchangeVerb : std::uint8_t {
    all_reduce,  ///< all buffers become their sum
    send,        ///< this rank's buffer goes to the root, which receives it
    receive,     ///< this rank's buffer becomes the root's buffer, which the root sends
    push,        ///< the root adds the buffers of all others to its own, in the order of the group from the
                 ///< root on; in a chain, the buffers of the ranks between become sums of those behind them
    pull,        ///< the root sends its buffer to each other rank, whose buffer becomes equal
    broadcast,   ///< as pull, down a tree: the root sends fewer times, the last rank receives it later
    /// The root's buffer has a place for the buffer of each rank, in the order of the group; the root
    /// receives the buffers of the others into their places, and has its own in its place already.
    gather,
};

/// The way of the data in a push and in a pull.
enum class ExchangeRoute : std::uint8_t {
    direct,  ///< between the root and each other rank: the root's link carries a buffer for each of them
    /// Along the group, in its order from the root on: each rank passes the buffer, or the sum so far, on to
    /// its neighbour. Every link carries one buffer. A push adds from the far end of the group on.
    chain,
};

/// An exchange: its verb, its ranks and its options. It is a value: programs hold it, and the communicator
/// carries it out.
struct Exchange {
    ExchangeVerb verb = ExchangeVerb::all_reduce;
    /// The ranks that take part, in the order of the summands. Empty: all ranks of the run. Not used by send
    /// and receive.
    std::vector<std::int64_t> group = {};
    std::int64_t root = 0;                        ///< a rank of the run; not used by all_reduce
    ExchangeRoute route = ExchangeRoute::direct;  ///< used by push and pull
    /// Exchanges of one turn run one after another on a rank, in the order of their starts, over any links.
    /// Each rank has turns of its own. Absent: only the links decide.
    std::optional<std::int64_t> turn = {};
    /// all_reduce uses all options. The other verbs use segment_bytes, connection and wire_type only.
    AllReduceOptions options = {};
    bool operator==(const Exchange&) const = default;
};

/// Whether another library carries an exchange out, over links of its own, and not convoy by a schedule.
inline bool is_by_library(const Exchange& exchange) {
    return exchange.verb == ExchangeVerb::all_reduce && exchange.options.algorithm == AllReduceAlgorithm::mpi;
}

}  // namespace convoy
