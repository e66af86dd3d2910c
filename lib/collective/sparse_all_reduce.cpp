#include "collective/sparse_all_reduce.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "collective/schedule_run.hpp"
#include "collective/top_k.hpp"
#include "exchange/all_reduce_schedule.hpp"

namespace convoy {
namespace asio = boost::asio;
using asio::awaitable;

namespace {

/// Adds values to the residual and moves what is to travel out of it.
void choose(SparsifiedBuffer buffer, std::span<SparseEntry> taken) {
    for (std::size_t i = 0; i < buffer.values.size(); ++i) buffer.residual[i] += buffer.values[i];
    take_greatest(buffer.residual, taken);
}

void add_up(std::span<const SparseEntry> entries, std::span<float> sums) {
    std::ranges::fill(sums, 0.0F);
    for (const auto& entry : entries) sums[entry.index] += entry.value;
}

}  // namespace

awaitable<CollectiveTimes> sparse_all_reduce(Fabric& fabric, SparsifiedBuffer buffer,
                                             AllReduceOptions options) {
    const auto elements = buffer.values.size();
    if (buffer.residual.size() != elements) throw InternalError("a residual of another size than its values");
    if (options.algorithm != AllReduceAlgorithm::automatic && options.algorithm != AllReduceAlgorithm::ring)
        throw InternalError("sparse pieces are gathered round a ring, or as is fastest");
    const auto piece = options.top_k.count_of(elements);
    std::vector<SparseEntry> entries(piece * static_cast<std::uint64_t>(fabric.world_size()));
    const GatheredPieces pieces{entries, piece, elements};
    choose(buffer, pieces.entries.subspan(piece * static_cast<std::uint64_t>(fabric.rank()), piece));
    CollectiveTimes times;
    times.started = times.began = times.peers_began = Clock::now();
    if (fabric.world_size() > 1) {
        auto schedule = gather_schedule(options.algorithm, fabric.rank(), fabric.world_size(), piece);
        ScheduleRun run(fabric, WireBuffer(pieces), std::move(schedule));
        times = co_await run.run();
    }
    add_up(entries, buffer.values);
    times.finished = Clock::now();
    co_return times;
}

}  // namespace convoy
