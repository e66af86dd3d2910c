#include "exchange/all_reduce_schedule.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "base/error.hpp"
#include "exchange/algorithms.hpp"

namespace convoy {
namespace {

/// The steps of an algorithm, and its cut of a block: the largest transfer is block / transfers_per_block.
struct Steps {
    std::function<Turns(ElementRange block)> turns;
    std::uint64_t transfers_per_block;
    bool leaves_sums_unrounded = false;
};

Steps steps_of(AllReduceAlgorithm algorithm, std::int64_t rank, const HostMap& hosts) {
    const auto n = hosts.world_size();
    const auto with = [rank, n](auto turns) {
        return [=](ElementRange block) { return turns(rank, n, block); };
    };
    switch (algorithm) {
        case AllReduceAlgorithm::ring: return {with(ring_turns), static_cast<std::uint64_t>(n)};
        case AllReduceAlgorithm::pairwise: return {with(pairwise_turns), static_cast<std::uint64_t>(n)};
        case AllReduceAlgorithm::halving_doubling: return {with(halving_doubling_turns), 2};
        case AllReduceAlgorithm::recursive_doubling: return {with(recursive_doubling_turns), 1, true};
        case AllReduceAlgorithm::tree: return {with(tree_turns), 1};
        case AllReduceAlgorithm::hierarchical:
            return {[rank, &hosts](ElementRange block) { return hierarchical_turns(rank, hosts, block); }, 1};
        case AllReduceAlgorithm::automatic:
        case AllReduceAlgorithm::mpi: break;
    }
    throw InternalError("an all-reduce algorithm without a case");
}

}  // namespace

AllReduceAlgorithm choose_algorithm(std::int64_t bytes, std::int64_t world_size) {
    constexpr std::int64_t small = 16 << 10, medium = 512 << 10, large = 1 << 20;
    if (bytes <= small) return AllReduceAlgorithm::recursive_doubling;
    // Ranks beyond a power of two would have to hand everything in and get it back.
    const bool power_of_two = std::has_single_bit(static_cast<std::uint64_t>(world_size));
    if (bytes <= medium && world_size > 2 && power_of_two) return AllReduceAlgorithm::halving_doubling;
    if (bytes <= large && world_size > 2 && world_size <= all_linked_ranks)
        return AllReduceAlgorithm::pairwise;
    return AllReduceAlgorithm::ring;
}

AllReduceSchedule all_reduce_schedule(AllReduceAlgorithm algorithm, std::int64_t rank, const HostMap& hosts,
                                      std::uint64_t elements, std::uint64_t segment_elements,
                                      std::int64_t depth) {
    const auto steps = steps_of(algorithm, rank, hosts);
    return {make_schedule(elements, segment_elements * steps.transfers_per_block,
                          static_cast<std::uint64_t>(depth), steps.turns),
            steps.leaves_sums_unrounded};
}

Schedule gather_schedule(AllReduceAlgorithm algorithm, std::int64_t rank, std::int64_t world_size,
                         std::uint64_t piece) {
    const bool doubling = algorithm == AllReduceAlgorithm::automatic &&
                          std::has_single_bit(static_cast<std::uint64_t>(world_size));
    const auto turns = doubling ? doubling_gather_turns(rank, world_size, piece)
                                : ring_gather_turns(rank, world_size, piece);
    const auto elements = piece * static_cast<std::uint64_t>(world_size);
    const auto same = [&](ElementRange) -> const auto& {
        return turns;
    };
    return make_schedule(elements, std::max<std::uint64_t>(1, elements), 1, same);
}

}  // namespace convoy
