#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>

#include "exchange/all_reduce_schedule.hpp"
#include "net/fabric.hpp"
#include "program/communicator.hpp"
#include "spec/all_reduce_spec.hpp"

namespace convoy {

/// Sums buffer over all ranks of the fabric, in place; sums of floats are float32, whatever type travels. The
/// result has the same bits on every rank and in every run. All ranks must call it with the same size, type
/// and options, in the same order, one collective at a time; buffer must stay untouched until it is done. The
/// fabric needs the links of partners_of, or those of the ring where the algorithm is that. depth: blocks
/// between two steps of one block, at least 1; see make_schedule.
///
/// Of a SparsifiedBuffer that is the sum of what travels: sparse_all_reduce.
///
/// Every frame is checked against what this node expects. A node that finds a mismatch, a lost peer or a
/// passed deadline tells the nodes that it sends to why, before it closes its links, and so do those
/// (DisagreementError, NodeLostError, DeadlineError, or DataError for garbage). Round a ring the cause
/// reaches every rank; in other algorithms one may see only that its peer has gone. After a throw the buffer
/// holds anything and the fabric is closed. Throws InternalError for options out of range.
boost::asio::awaitable<CollectiveTimes> all_reduce(Fabric& fabric, ReduceBuffer buffer,
                                                   AllReduceOptions options,
                                                   std::int64_t depth = all_reduce_depth);

}  // namespace convoy
