#pragma once

#include <cstdint>

#include "exchange/host_map.hpp"
#include "exchange/schedule.hpp"
#include "spec/all_reduce_spec.hpp"

namespace convoy {

/// The fastest algorithm for a sum of this many bytes, by measurements on TCP.
AllReduceAlgorithm choose_algorithm(std::int64_t bytes, std::int64_t world_size);

/// The schedule of one rank for a sum over all ranks.
struct AllReduceSchedule {
    Schedule schedule;
    /// Some ranks may end with a sum that they have not sent, while others have received it, rounded to the
    /// type on the wire. The caller must then round all results.
    bool leaves_sums_unrounded = false;
};

/// The number of blocks between two steps of one block, see make_schedule.
inline constexpr std::int64_t all_reduce_depth = 4;

/// The schedule of an algorithm for a buffer of `elements` elements. One send has about segment_elements
/// elements at most. Throws InternalError for `automatic`; call choose_algorithm first.
AllReduceSchedule all_reduce_schedule(AllReduceAlgorithm algorithm, std::int64_t rank, const HostMap& hosts,
                                      std::uint64_t elements, std::uint64_t segment_elements,
                                      std::int64_t depth = all_reduce_depth);

/// The schedule of one rank that gathers a piece of `piece` elements from each rank, in one block. It uses
/// doubling_gather_turns if the algorithm is `automatic` and the number of ranks is a power of two, else
/// ring_gather_turns.
Schedule gather_schedule(AllReduceAlgorithm algorithm, std::int64_t rank, std::int64_t world_size,
                         std::uint64_t piece);

}  // namespace convoy
