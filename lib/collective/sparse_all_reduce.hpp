#pragma once

#include <boost/asio/awaitable.hpp>

#include "exchange/exchange_schedule.hpp"
#include "net/fabric.hpp"
#include "program/communicator.hpp"
#include "spec/all_reduce_spec.hpp"

namespace convoy {

/// Sums the greatest values of each rank over all ranks, with error feedback. Each rank adds its values to
/// its residual. The sums of greatest magnitude travel; options.top_k.fraction is their share of all
/// elements. The other sums are the new residual (Aji and Heafield 2017, "Sparse communication for
/// distributed gradient descent", EMNLP, 440-445; Stich, Cordonnier and Jaggi 2018, "Sparsified SGD with
/// memory", NeurIPS 31). Ranks choose different places, so their pieces are gathered and not summed on the
/// way. They are gathered by doubling_gather_turns if the number of ranks is a power of two and the algorithm
/// is `automatic`, else round a ring. A piece travels whole, for any segment size. Each rank sums the pieces
/// in the order of the group, in float32. So all ranks have the same bits in every run, for both algorithms.
///
/// A group of one rank does the same without sending. part: from sparse_exchange_schedule, for pieces of
/// options.top_k.count_of(values). The rules of run_exchange for callers, links, checks and failures hold
/// here, too. A piece whose indices do not ascend or lie beyond the buffer is a DataError. After a throw the
/// content of values and residual is undefined.
boost::asio::awaitable<ExchangeTimes> sparse_all_reduce(Fabric& fabric, SparsifiedBuffer buffer,
                                                        AllReduceOptions options,
                                                        const ExchangeSchedule& part);

}  // namespace convoy
