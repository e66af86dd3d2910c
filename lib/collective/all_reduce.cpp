#include "collective/all_reduce.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "collective/schedule_run.hpp"
#include "collective/sparse_all_reduce.hpp"
#include "collective/wire_buffer.hpp"
#include "exchange/all_reduce_schedule.hpp"

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

}  // namespace

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
    auto [schedule, leaves_sums_unrounded] =
        all_reduce_schedule(algorithm, fabric.rank(), fabric.hosts(), wire.size(),
                            static_cast<std::uint64_t>(options.segment_bytes) / wire_bytes, depth);
    ScheduleRun run(fabric, wire, std::move(schedule));
    auto times = co_await run.run();
    if (leaves_sums_unrounded) wire.round();
    co_return times;
}

}  // namespace convoy
