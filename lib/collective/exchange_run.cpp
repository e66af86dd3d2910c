#include "collective/exchange_run.hpp"

#include <utility>

#include "base/error.hpp"
#include "collective/schedule_run.hpp"
#include "collective/sparse_all_reduce.hpp"
#include "collective/wire_buffer.hpp"
#include "exchange/exchange_cost.hpp"

namespace convoy {
namespace asio = boost::asio;
using asio::awaitable;

namespace {

ExchangeOperation operation_of(ExchangeVerb verb) {
    switch (verb) {
        case ExchangeVerb::all_reduce: return ExchangeOperation::all_reduce_sum;
        case ExchangeVerb::send:
        case ExchangeVerb::receive: return ExchangeOperation::send;
        case ExchangeVerb::push: return ExchangeOperation::push;
        case ExchangeVerb::pull: return ExchangeOperation::pull;
        case ExchangeVerb::broadcast: return ExchangeOperation::broadcast;
        case ExchangeVerb::gather: return ExchangeOperation::gather;
    }
    throw InternalError("an exchange without an operation");
}

ExchangeSchedule part_of(const Fabric& fabric, const ReduceBuffer& buffer, const Exchange& exchange,
                         std::int64_t depth) {
    if (const auto* sparsified = std::get_if<SparsifiedBuffer>(&buffer)) {
        const auto elements = sparsified->values.size();
        if (sparsified->residual.size() != elements)
            throw InternalError("a residual of another size than its values");
        return sparse_exchange_schedule(exchange, fabric.rank(), fabric.hosts(),
                                        exchange.options.top_k.count_of(elements));
    }
    const WireBuffer wire(buffer, exchange.options.wire_type);
    return exchange_schedule(exchange, fabric.rank(), fabric.hosts(), wire.size(), wire.element_bytes(),
                             depth);
}

ExchangeTimes with_payload(ExchangeTimes times, const Schedule& schedule, std::uint64_t element_bytes) {
    const auto cost = schedule_cost(schedule, element_bytes);
    times.sent_bytes = cost.sent_bytes;
    times.received_bytes = cost.received_bytes;
    return times;
}

}  // namespace

PreparedExchange prepare_exchange(const Fabric& fabric, ReduceBuffer buffer, const Exchange& exchange,
                                  std::int64_t depth) {
    return {buffer, exchange.verb, exchange.options, exchange.turn, part_of(fabric, buffer, exchange, depth)};
}

awaitable<ExchangeTimes> run_exchange(Fabric& fabric, const PreparedExchange& exchange,
                                      const WaitMark& waited) {
    const auto& part = exchange.part;
    if (const auto* sparsified = std::get_if<SparsifiedBuffer>(&exchange.buffer)) {
        const auto times = co_await sparse_all_reduce(fabric, *sparsified, exchange.options, part);
        co_return with_payload(times, part.schedule, wire_element_bytes(WireType::top_k, false));
    }
    if (part.schedule.sends.empty() && part.schedule.receives.empty()) {
        const auto now = Clock::now();
        co_return ExchangeTimes{now, now, now, now};
    }
    const WireBuffer wire(exchange.buffer, exchange.options.wire_type);
    ScheduleRun run(fabric, wire, part, operation_of(exchange.verb),
                    exchange.verb == ExchangeVerb::all_reduce ? nullptr : &waited);
    const auto times = co_await run.run();
    if (part.leaves_sums_unrounded) wire.round();
    co_return with_payload(times, part.schedule, wire.element_bytes());
}

}  // namespace convoy
