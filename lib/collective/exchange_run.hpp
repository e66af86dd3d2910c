#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <optional>

#include "exchange/exchange_schedule.hpp"
#include "net/fabric.hpp"
#include "net/wait_mark.hpp"
#include "program/communicator.hpp"

namespace convoy {

/// An exchange and this rank's part of it. It refers to the caller's buffer.
struct PreparedExchange {
    ReduceBuffer buffer;
    ExchangeVerb verb = ExchangeVerb::all_reduce;
    AllReduceOptions options;
    std::optional<std::int64_t> turn;  ///< see Exchange
    ExchangeSchedule part;
};

/// Makes this rank's part of an exchange over the fabric. depth: the number of blocks between two steps of
/// one block, at least 1; see make_schedule. Throws as exchange_schedule, and InternalError for a
/// SparsifiedBuffer that is not for an all-reduce, or whose residual has another size than its values. Any
/// thread may call it.
PreparedExchange prepare_exchange(const Fabric& fabric, ReduceBuffer buffer, const Exchange& exchange,
                                  std::int64_t depth = all_reduce_depth);

/// Carries out an exchange in place. Floats are summed in float32, for any type on the wire. A result has the
/// same bits in every run, and on every rank that receives it. A rank that only sends keeps its buffer
/// unchanged, also if its peers receive rounded values. The caller must not touch the buffer until the
/// exchange is done. The fabric must have the links of links_of, and no other exchange may use these links
/// meanwhile.
///
/// For an all-reduce of a SparsifiedBuffer, see sparse_all_reduce.
///
/// Each frame is compared with the frame that this node expects. A node may find a mismatch
/// (DisagreementError), a lost peer (NodeLostError), a passed deadline (DeadlineError) or invalid bytes
/// (DataError). It then tells the cause to the nodes that it sends to, and closes its links; these nodes do
/// the same. Round a ring, the cause reaches every rank; in other exchanges, a rank may see only that its
/// peer has gone. After a throw the content of the buffer is undefined and the fabric cannot be used any
/// more. Other exchanges on it end with the same error.
///
/// waited: the time since which a thread waits for this exchange, see Fabric::use. all_reduce does not use
/// it.
boost::asio::awaitable<ExchangeTimes> run_exchange(Fabric& fabric, const PreparedExchange& exchange,
                                                   const WaitMark& waited);

}  // namespace convoy
