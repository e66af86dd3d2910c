#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>

#include "exchange/exchange_schedule.hpp"
#include "net/fabric.hpp"
#include "net/wait_mark.hpp"
#include "program/communicator.hpp"

namespace convoy {

/// An exchange with this rank's part of it. Refers to the caller's buffer.
struct PreparedExchange {
    ReduceBuffer buffer;
    ExchangeVerb verb = ExchangeVerb::all_reduce;
    AllReduceOptions options;
    ExchangeSchedule part;
};

/// This rank's part of an exchange over the fabric. Throws as exchange_schedule, and InternalError for a
/// SparsifiedBuffer that is not for an all-reduce, or whose residual has another size than its values. depth:
/// blocks between two steps of one block, at least 1; see make_schedule. May be called from any thread.
PreparedExchange prepare_exchange(const Fabric& fabric, ReduceBuffer buffer, const Exchange& exchange,
                                  std::int64_t depth = all_reduce_depth);

/// Carries out an exchange, in place; sums of floats are float32, whatever type travels. A result has the
/// same bits in every run, and on every rank that receives it; a rank that only sends keeps its buffer as it
/// is, also where its peers get it rounded. The buffer must stay untouched until it is done. The fabric needs
/// the links of links_of, and no other exchange may use one of these meanwhile.
///
/// An all-reduce of a SparsifiedBuffer is the sum of what travels: sparse_all_reduce.
///
/// Every frame is checked against what this node expects. A node that finds a mismatch, a lost peer or a
/// passed deadline tells the nodes that it sends to why, before it closes its links, and so do those
/// (DisagreementError, NodeLostError, DeadlineError, or DataError for garbage). Round a ring the cause
/// reaches every rank; in other exchanges one may see only that its peer has gone. After a throw the buffer
/// holds anything and the fabric is of no use any more; other exchanges on it end with the same error.
///
/// waited: since when a thread waits for it, see Fabric::use. It counts for all verbs but all_reduce.
boost::asio::awaitable<CollectiveTimes> run_exchange(Fabric& fabric, const PreparedExchange& exchange,
                                                     const WaitMark& waited);

}  // namespace convoy
