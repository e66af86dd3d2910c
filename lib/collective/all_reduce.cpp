#include "collective/all_reduce.hpp"

#include <fmt/format.h>

#include <bit>
#include <functional>
#include <utility>

#include "base/error.hpp"
#include "collective/algorithms.hpp"
#include "collective/schedule_run.hpp"
#include "collective/sparse_all_reduce.hpp"
#include "collective/wire_buffer.hpp"

namespace convoy {
namespace asio = boost::asio;
using asio::awaitable;

namespace {

void check(const AllReduceOptions& options, std::int64_t depth) {
    if (options.segment_bytes < 64 || options.segment_bytes > (std::int64_t{1} << 30U)) {
        throw InternalError(
            fmt::format("segments of {} bytes; 64 to 2^30 are possible", options.segment_bytes));
    }
    if (depth < 1) throw InternalError(fmt::format("a pipeline of depth {}; at least 1 is needed", depth));
}

/// How an algorithm cuts a buffer: its largest transfer is the block's share of one.
struct Plan {
    std::function<Turns(ElementRange block)> turns;
    std::uint64_t transfers_per_block;
    /// Some ranks may end with a sum that they never sent and others with what arrived of it.
    bool leaves_sums_unrounded = false;
};

Plan plan_of(AllReduceAlgorithm algorithm, std::int64_t rank, const HostMap& hosts) {
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
        case AllReduceAlgorithm::automatic: break;
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

awaitable<CollectiveTimes> all_reduce(Fabric& fabric, ReduceBuffer buffer, AllReduceOptions options,
                                      std::int64_t depth) {
    check(options, depth);
    if (const auto* sparsified = std::get_if<SparsifiedBuffer>(&buffer))
        co_return co_await sparse_all_reduce(fabric, *sparsified, options);
    const auto world_size = fabric.world_size();
    if (world_size == 1) {
        const auto now = Clock::now();
        co_return CollectiveTimes{now, now, now, now};
    }
    const WireBuffer wire(buffer, options.wire_type);
    const auto wire_bytes = wire.element_bytes();
    const auto algorithm =
        options.algorithm == AllReduceAlgorithm::automatic
            ? choose_algorithm(static_cast<std::int64_t>(wire.size() * wire_bytes), world_size)
            : options.algorithm;
    const auto plan = plan_of(algorithm, fabric.rank(), fabric.hosts());
    const auto segment = static_cast<std::uint64_t>(options.segment_bytes) / wire_bytes;
    auto schedule = make_schedule(wire.size(), segment * plan.transfers_per_block,
                                  static_cast<std::uint64_t>(depth), plan.turns);
    ScheduleRun run(fabric, wire, std::move(schedule));
    auto times = co_await run.run();
    if (plan.leaves_sums_unrounded) wire.round();
    co_return times;
}

}  // namespace convoy
