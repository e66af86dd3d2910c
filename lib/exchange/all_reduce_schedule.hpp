#pragma once

#include <cstdint>

#include "exchange/host_map.hpp"
#include "exchange/schedule.hpp"
#include "spec/all_reduce_spec.hpp"

namespace convoy {

/// The algorithm that is fastest for a sum of so many bytes, by measurements on TCP.
AllReduceAlgorithm choose_algorithm(std::int64_t bytes, std::int64_t world_size);

/// One rank's part of a sum over all ranks.
struct AllReduceSchedule {
    Schedule schedule;
    /// Some ranks may end with a sum that they never sent, others with what arrived of it.
    bool leaves_sums_unrounded = false;
};

/// Blocks between two steps of one block, see make_schedule.
inline constexpr std::int64_t all_reduce_depth = 4;

/// The schedule of an algorithm for so many elements, of which at most segment_elements are sent at a time.
/// Throws InternalError for `automatic`: choose_algorithm comes first.
AllReduceSchedule all_reduce_schedule(AllReduceAlgorithm algorithm, std::int64_t rank, const HostMap& hosts,
                                      std::uint64_t elements, std::uint64_t segment_elements,
                                      std::int64_t depth = all_reduce_depth);

/// One rank's part of gathering a piece of so many elements from each rank, in one block: in doubling steps
/// where `automatic` may choose and ranks are a power of two, else round a ring.
Schedule gather_schedule(AllReduceAlgorithm algorithm, std::int64_t rank, std::int64_t world_size,
                         std::uint64_t piece);

}  // namespace convoy
