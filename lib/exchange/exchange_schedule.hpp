#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exchange/all_reduce_schedule.hpp"
#include "exchange/exchange.hpp"
#include "exchange/host_map.hpp"
#include "exchange/schedule.hpp"

namespace convoy {

/// The part of one rank in an exchange.
struct ExchangeSchedule {
    Schedule schedule = {};      ///< peers are ranks of the run; ranges are in this rank's buffer
    std::uint64_t elements = 0;  ///< elements of the whole exchange, the same on every rank
    /// The first element of this rank's buffer in the whole exchange. Only in a gather it may be above 0.
    std::uint64_t first = 0;
    /// In an all-reduce of a SparsifiedBuffer: the first entry of this rank's piece among the pieces of all
    /// ranks.
    std::uint64_t own = 0;
    std::uint16_t group = 0;             ///< Group::fingerprint; 0 for send and receive
    bool whole_run = false;              ///< whether this is an all-reduce of all ranks of the run
    bool leaves_sums_unrounded = false;  ///< see AllReduceSchedule
};

/// Makes the part of a rank. elements: the elements of this rank's buffer. element_bytes: the bytes of an
/// element on the wire. depth: see make_schedule. For `automatic`, choose_algorithm chooses.
///
/// Throws InternalError for an exchange by another library, if the rank or the root is not in the group, if a
/// rank sends to itself, if segments are too small or too large, and if the root's buffer of a gather cannot
/// be cut into equal pieces.
ExchangeSchedule exchange_schedule(const Exchange& exchange, std::int64_t rank, const HostMap& hosts,
                                   std::uint64_t elements, std::size_t element_bytes,
                                   std::int64_t depth = all_reduce_depth);

/// Makes the part of a rank in an all-reduce of a SparsifiedBuffer: it gathers a piece of `piece` entries
/// from each rank of the group. Throws as exchange_schedule, and InternalError for other verbs and for
/// algorithms other than `automatic` and `ring`.
ExchangeSchedule sparse_exchange_schedule(const Exchange& exchange, std::int64_t rank, const HostMap& hosts,
                                          std::uint64_t piece);

/// The ranks that a rank sends to and receives from, in ascending order.
struct ExchangeLinks {
    std::vector<std::int64_t> send_to, receive_from;
    bool operator==(const ExchangeLinks&) const = default;
};

/// The links that a rank needs for an exchange with a buffer of any size. For `automatic`, they are all ranks
/// of partners_of; for an exchange by another library there are none. Throws as exchange_schedule.
ExchangeLinks links_of(const Exchange& exchange, std::int64_t rank, const HostMap& hosts);

}  // namespace convoy
