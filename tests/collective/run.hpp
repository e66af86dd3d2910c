#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>

#include "base/clock.hpp"
#include "collective/exchange_run.hpp"
#include "net/fabric.hpp"
#include "net/wait_mark.hpp"

/// Prepares an exchange and carries it out, as for a thread that waits for it from its start.
inline boost::asio::awaitable<convoy::ExchangeTimes> exchanged(
    convoy::Fabric& fabric, convoy::ReduceBuffer buffer, convoy::Exchange exchange,
    std::int64_t depth = convoy::all_reduce_depth) {
    convoy::WaitMark waited;
    waited.set(convoy::Clock::now());
    const auto prepared = convoy::prepare_exchange(fabric, buffer, exchange, depth);
    co_return co_await convoy::run_exchange(fabric, prepared, waited);
}

/// An all-reduce between all ranks.
inline boost::asio::awaitable<convoy::ExchangeTimes> summed(convoy::Fabric& fabric,
                                                            convoy::ReduceBuffer buffer,
                                                            const convoy::AllReduceOptions& options,
                                                            std::int64_t depth = convoy::all_reduce_depth) {
    return exchanged(fabric, buffer, {.options = options}, depth);
}
