#pragma once

#include <boost/asio/awaitable.hpp>

#include "exchange/exchange_schedule.hpp"
#include "net/fabric.hpp"
#include "program/communicator.hpp"
#include "spec/all_reduce_spec.hpp"

namespace convoy {

/// Sums the greatest of each rank's values over all ranks, with error feedback: values are added to the
/// residual, the options.top_k.fraction of these sums that is greatest in magnitude travels, and what does
/// not travel is the new residual (Aji and Heafield 2017, "Sparse communication for distributed gradient
/// descent", EMNLP, 440-445; Stich, Cordonnier and Jaggi 2018, "Sparsified SGD with memory", NeurIPS 31). As
/// ranks choose different places, their pieces are gathered rather than summed on the way: by recursive
/// doubling where there is a power of two of ranks and the algorithm is left open, else round the ring; a
/// piece travels whole, whatever the segment size. Every rank adds the pieces up in the order of the group,
/// in float32, so that all get the same bits, in every run and either way.
///
/// One rank alone does the same without sending anything. part: of sparse_exchange_schedule, for pieces of
/// options.top_k.count_of(values). What run_exchange says of callers, links, checks and failures is true
/// here; a piece whose places do not ascend or lie beyond the buffer is a DataError. After a throw values and
/// residual hold anything.
boost::asio::awaitable<CollectiveTimes> sparse_all_reduce(Fabric& fabric, SparsifiedBuffer buffer,
                                                          AllReduceOptions options,
                                                          const ExchangeSchedule& part);

}  // namespace convoy
