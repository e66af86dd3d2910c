#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "collective/run.hpp"
#include "net/memory_fabric.hpp"

inline std::size_t index(std::int64_t rank) {
    return static_cast<std::size_t>(rank);
}

/// Ranks inside this thread, each linked to each.
struct LinkedRanks {
    boost::asio::io_context io{1};
    std::vector<std::unique_ptr<convoy::Fabric>> fabrics;
    std::vector<std::future<convoy::ExchangeTimes>> ends;

    explicit LinkedRanks(std::int64_t count, convoy::FabricOptions options = {},
                         std::size_t link_bytes = 1000)
        : fabrics(convoy::make_memory_fabrics(
              io.get_executor(), count,
              [count](std::int64_t rank) {
                  std::vector<std::int64_t> others(index(count));
                  std::iota(others.begin(), others.end(), std::int64_t{0});
                  std::erase(others, rank);
                  return others;
              },
              std::move(options), link_bytes)) {}

    /// Gives the number of its end.
    std::size_t start(std::int64_t rank, convoy::ReduceBuffer buffer, const convoy::Exchange& exchange) {
        ends.push_back(boost::asio::co_spawn(io, exchanged(*fabrics[index(rank)], buffer, exchange),
                                             boost::asio::use_future));
        return ends.size() - 1;
    }
    void finish(std::size_t end) {
        io.restart();
        while (ends[end].valid() && ends[end].wait_for(std::chrono::seconds(0)) != std::future_status::ready)
            io.run_one();
    }
    void finish() {
        for (std::size_t end = 0; end < ends.size(); ++end) finish(end);
    }
};
