#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exchange/all_reduce_schedule.hpp"
#include "exchange/exchange.hpp"
#include "exchange/host_map.hpp"
#include "exchange/schedule.hpp"

namespace convoy {

/// One rank's part of an exchange.
struct ExchangeSchedule {
    Schedule schedule = {};      ///< peers are ranks of the run, ranges are of this rank's buffer
    std::uint64_t elements = 0;  ///< of the whole exchange, alike on every rank
    std::uint64_t first = 0;     ///< the place of this rank's buffer in the whole: not 0 for a gather only
    std::uint64_t own = 0;  ///< where the piece of this rank lies in its buffer, of pieces that are gathered
    std::uint16_t group = 0;             ///< Group::fingerprint; 0 for send and receive
    bool whole_run = false;              ///< an all-reduce in which every rank of the run takes part
    bool leaves_sums_unrounded = false;  ///< see AllReduceSchedule
};

/// The part of a rank whose buffer has so many elements, of so many bytes each as they travel. `automatic` is
/// choose_algorithm's. depth: see make_schedule.
///
/// Throws InternalError where the rank or the root is not in the group, where a rank sends to itself, for
/// segments that are too small or too large, and where the root of a gather has no equal pieces.
ExchangeSchedule exchange_schedule(const Exchange& exchange, std::int64_t rank, const HostMap& hosts,
                                   std::uint64_t elements, std::size_t element_bytes,
                                   std::int64_t depth = all_reduce_depth);

/// The part of a rank in an all-reduce of a SparsifiedBuffer: gathering a piece of so many entries from each
/// rank of the group. Throws InternalError also for other verbs, and for algorithms that are neither
/// `automatic` nor the ring.
ExchangeSchedule sparse_exchange_schedule(const Exchange& exchange, std::int64_t rank, const HostMap& hosts,
                                          std::uint64_t piece);

/// Whom a rank sends to and receives from, in ascending order.
struct ExchangeLinks {
    std::vector<std::int64_t> send_to, receive_from;
    bool operator==(const ExchangeLinks&) const = default;
};

/// The links that a rank needs for an exchange, of any size. Where `automatic` decides by the size, all of
/// partners_of. Throws as exchange_schedule.
ExchangeLinks links_of(const Exchange& exchange, std::int64_t rank, const HostMap& hosts);

}  // namespace convoy
