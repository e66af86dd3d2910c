#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "exchange/element_range.hpp"

namespace convoy {

/// One step of one rank, for one block: the rank sends a range to a peer and receives another range from a
/// peer. Either part may be absent, or both.
struct Turn {
    std::optional<std::int64_t> send_to = {}, receive_from = {};
    ElementRange send = {}, receive = {};
    /// True: the received range is added to the buffer; false: it replaces the buffer's values.
    bool adds = false;
    bool operator==(const Turn&) const = default;
};

/// All steps of one rank for one block. Every rank has the same number of steps. If a rank sends a range in a
/// step, its peer receives the range in the same step.
using Turns = std::vector<Turn>;

struct Send {
    std::int64_t peer = 0;
    std::uint32_t step = 0;
    ElementRange range;
    std::uint64_t after_receives = 0;  ///< number of receives of this rank that come before this send
    bool operator==(const Send&) const = default;
};
struct Receive {
    std::int64_t peer = 0;
    std::uint32_t step = 0;
    ElementRange range;
    bool adds = false;
    /// Number of sends of this rank that must be done before this receive may change the buffer.
    std::uint64_t after_sends = 0;
    bool operator==(const Receive&) const = default;
};

/// All sends and receives of one rank in an exchange. Each list runs in its order, both lists at the same
/// time.
struct Schedule {
    std::vector<Send> sends;
    std::vector<Receive> receives;
    /// The peers of sends and of receives, ascending, each once.
    std::vector<std::int64_t> send_to, receive_from;
    std::uint64_t largest_send = 0, largest_receive = 0;  ///< elements
    /// The first receive in this step shows that the peers of this rank have begun. With one block, it is the
    /// last step that adds, or the last step if no step adds. The data of this step contains summands of
    /// every rank; only an inner rank of a tree hears of the ranks below it alone. With more blocks, it is
    /// the first step, which shows that one peer has begun. A later step would also count the time on the
    /// network.
    std::uint32_t tells_of_peers = 0;
};

/// Cuts a buffer into blocks and interleaves their steps: step s of block b runs in round b + s * depth. So
/// sending, receiving and adding overlap: a rank can send parts of `depth` blocks before it needs the next
/// received block. A received segment is sent on soon, while it is in the cache. If depth is at least the
/// number of blocks, all blocks finish a step before the next step begins.
///
/// All ranks order their transfers by (round, step), so ranks never wait for each other in a circle.
///
/// block_elements: the largest size of a block; it is rounded up to a multiple of chunk_unit. turns_of:
/// returns the steps of this rank for one block.
Schedule make_schedule(std::uint64_t elements, std::uint64_t block_elements, std::uint64_t depth,
                       const std::function<Turns(ElementRange)>& turns_of);

}  // namespace convoy
