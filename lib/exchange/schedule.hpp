#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "exchange/element_range.hpp"

namespace convoy {

/// What one rank does in one step of an algorithm on one block: sends a range to one rank and receives
/// another from one rank, or only one of the two, or neither.
struct Turn {
    std::optional<std::int64_t> send_to = {}, receive_from = {};
    ElementRange send = {}, receive = {};
    bool adds = false;  ///< what is received is added to what is there, else it replaces it
    bool operator==(const Turn&) const = default;
};

/// All steps of one block on one rank. There are equally many on every rank, and what a rank sends in a step
/// its peer receives in the same one.
using Turns = std::vector<Turn>;

struct Send {
    std::int64_t peer = 0;
    std::uint32_t step = 0;
    ElementRange range;
    std::uint64_t after_receives = 0;  ///< so many receives of this rank come before it
    bool operator==(const Send&) const = default;
};
struct Receive {
    std::int64_t peer = 0;
    std::uint32_t step = 0;
    ElementRange range;
    bool adds = false;
    std::uint64_t after_sends =
        0;  ///< so many sends of this rank must be done before it may change the buffer
    bool operator==(const Receive&) const = default;
};

/// All that one rank sends and receives in a collective. Either list is worked off in order, the one beside
/// the other.
struct Schedule {
    std::vector<Send> sends;
    std::vector<Receive> receives;
    std::vector<std::int64_t> send_to, receive_from;      ///< the peers of these, ascending, each once
    std::uint64_t largest_send = 0, largest_receive = 0;  ///< elements
    /// The step in which what a rank receives tells that its peers have begun: with one block the last that
    /// adds (by then something of every rank went into what comes, but for the inner nodes of a tree, which
    /// hear of those below them), or where none adds the last. With more blocks the first, which tells of one
    /// peer only: until a later one came, what the network took would be in it.
    std::uint32_t tells_of_peers = 0;
};

/// Cuts a buffer into blocks and interleaves their steps: step s of block b comes in round b + s * depth.
/// Sending, receiving and adding then overlap, as a rank has depth blocks to send of before it needs what it
/// is about to receive, while a segment that was just received is sent on soon, from the cache. A depth of
/// the number of blocks or more does one step after another.
///
/// All ranks order their transfers by (round, step), so no rank waits for another in a circle.
///
/// block_elements: the most in a block, rounded up to a chunk_unit. turns_of gives the steps of one block on
/// this rank.
Schedule make_schedule(std::uint64_t elements, std::uint64_t block_elements, std::uint64_t depth,
                       const std::function<Turns(ElementRange)>& turns_of);

}  // namespace convoy
