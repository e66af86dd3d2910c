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

/// Adds values to the residual, and moves the entries that travel out of it.
void choose(SparsifiedBuffer buffer, std::span<SparseEntry> taken) {
    for (std::size_t i = 0; i < buffer.values.size(); ++i) buffer.residual[i] += buffer.values[i];
    take_greatest(buffer.residual, taken);
}

void add_up(std::span<const SparseEntry> entries, std::span<float> sums) {
    std::ranges::fill(sums, 0.0F);
    for (const auto& entry : entries) sums[entry.index] += entry.value;
}

}  // namespace

awaitable<ExchangeTimes> sparse_all_reduce(Fabric& fabric, SparsifiedBuffer buffer, AllReduceOptions options,
                                           const ExchangeSchedule& part) {
    const auto elements = buffer.values.size();
    const auto piece = options.top_k.count_of(elements);
    std::vector<SparseEntry> entries(part.elements);
    const GatheredPieces pieces{entries, piece, elements};
    choose(buffer, pieces.entries.subspan(part.own, piece));
    ExchangeTimes times;
    times.started = times.began = times.peers_began = Clock::now();
    if (!part.schedule.sends.empty()) {
        ScheduleRun run(fabric, WireBuffer(pieces), part, ExchangeOperation::all_reduce_sum, nullptr);
        times = co_await run.run();
    }
    add_up(entries, buffer.values);
    times.finished = Clock::now();
    co_return times;
}

}  // namespace convoy
