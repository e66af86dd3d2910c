#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <span>

#include "net/fabric.hpp"
#include "program/communicator.hpp"

namespace convoy {

struct RingOptions {
    std::int64_t segment_bytes = std::int64_t{1}
                                 << 18U;  ///< of one frame, 64 bytes to 1 GiB; see RingSchedule
    std::int64_t depth = 4;               ///< blocks between two steps of one block, at least 1
};

/// Sums buffer over all ranks of the fabric, in place, by the ring of RingSchedule. The result has the same
/// bits on every rank and in every run. All ranks must call it with the same size, type and options, in the
/// same order, one collective at a time; buffer must stay untouched until it is done.
///
/// Every frame is checked against what this node expects. A node that finds a mismatch, a lost peer or a
/// passed deadline tells its right neighbour why before it closes its links, and so does that one: the cause
/// goes round the ring, and every rank throws it (DisagreementError, NodeLostError, DeadlineError, or
/// DataError for garbage). After a throw the buffer holds anything and the fabric is closed. Throws
/// InternalError for options out of range.
boost::asio::awaitable<CollectiveTimes> ring_all_reduce(Fabric& fabric, std::span<float> buffer,
                                                        RingOptions options);
boost::asio::awaitable<CollectiveTimes> ring_all_reduce(Fabric& fabric, std::span<double> buffer,
                                                        RingOptions options);

}  // namespace convoy
