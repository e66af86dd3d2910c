#include "exchange/exchange_cost.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <deque>
#include <future>
#include <memory>
#include <vector>

#include "collective/exchange_run.hpp"
#include "collective/hosts_of.hpp"
#include "exchange/algorithms.hpp"
#include "net/frame.hpp"
#include "net/memory_fabric.hpp"

using namespace convoy::test;
namespace asio = boost::asio;
using namespace std::chrono_literals;
using convoy::AllReduceAlgorithm;
using convoy::WireType;

namespace {

/// One rank's memory for a sum of any kind.
struct Memory {
    std::vector<float> values, residual;
    std::vector<std::int64_t> sums;

    explicit Memory(std::size_t elements) : values(elements, 1.0F), residual(elements), sums(elements, 1) {}

    convoy::ReduceBuffer buffer(WireType wire, bool exact) {
        if (exact) return std::span(sums);
        if (wire == WireType::top_k) return convoy::SparsifiedBuffer{values, residual};
        return std::span(values);
    }
};

/// Ranks within this thread, and the links that any algorithm needs.
class CountedRanks {
  public:
    explicit CountedRanks(std::size_t ranks) {
        convoy::FabricOptions options;
        options.host_of_rank = hosts_of(ranks);
        fabrics_ = convoy::make_memory_fabrics(
            io_.get_executor(), static_cast<std::int64_t>(ranks),
            [ranks](std::int64_t rank) {
                return convoy::partners_of(
                    rank, convoy::HostMap(hosts_of(ranks)),
                    {{AllReduceAlgorithm::pairwise, AllReduceAlgorithm::hierarchical}});
            },
            options);
    }

    /// What the fabrics of all ranks counted in one sum, by rank.
    struct Traffic {
        std::uint64_t sent = 0, received = 0;
        bool operator==(const Traffic&) const = default;
    };
    std::vector<Traffic> reduce(const convoy::AllReduceOptions& options, bool exact, std::size_t elements) {
        const auto before = counted();
        std::vector<Memory> memory(fabrics_.size(), Memory(elements));
        const convoy::WaitMark waited;
        std::deque<convoy::PreparedExchange> prepared;
        std::vector<std::future<convoy::ExchangeTimes>> ends;
        for (std::size_t rank = 0; rank < fabrics_.size(); ++rank) {
            prepared.push_back(convoy::prepare_exchange(
                *fabrics_[rank], memory[rank].buffer(options.wire_type, exact), {.options = options}));
            ends.push_back(asio::co_spawn(io_, convoy::run_exchange(*fabrics_[rank], prepared.back(), waited),
                                          asio::use_future));
        }
        io_.restart();
        for (auto& end : ends) {
            while (end.wait_for(0s) != std::future_status::ready) io_.run_one();
            end.get();
        }
        auto traffic = counted();
        for (std::size_t rank = 0; rank < traffic.size(); ++rank) {
            traffic[rank].sent -= before[rank].sent;
            traffic[rank].received -= before[rank].received;
        }
        return traffic;
    }

  private:
    [[nodiscard]] std::vector<Traffic> counted() const {
        std::vector<Traffic> all;
        for (const auto& fabric : fabrics_) all.push_back({fabric->sent_bytes(), fabric->received_bytes()});
        return all;
    }

    asio::io_context io_{1};
    std::vector<std::unique_ptr<convoy::Fabric>> fabrics_;
};

/// Holds what is stated of every rank against what its fabric counted.
void check(CountedRanks& ranks, std::size_t world_size, const convoy::AllReduceOptions& options, bool exact,
           std::size_t elements) {
    CAPTURE(static_cast<int>(options.algorithm), static_cast<int>(options.wire_type), exact, world_size,
            elements, options.segment_bytes);
    const auto measured = ranks.reduce(options, exact, elements);
    const convoy::HostMap hosts(hosts_of(world_size));
    for (std::size_t rank = 0; rank < world_size; ++rank) {
        CAPTURE(rank);
        const auto stated = convoy::exchange_cost({.options = options}, exact, elements,
                                                  static_cast<std::int64_t>(rank), hosts);
        CHECK(stated.sent_bytes == measured[rank].sent - stated.sent_frames * convoy::frame_header_bytes);
        CHECK(stated.received_bytes ==
              measured[rank].received - stated.received_frames * convoy::frame_header_bytes);
    }
}

}  // namespace

TEST_CASE("stated bytes of an all-reduce are those that every fabric counts") {
    for (std::size_t world_size = 2; world_size <= 5; ++world_size) {
        CountedRanks ranks(world_size);
        for (const auto& [name, algorithm] : convoy::all_reduce_algorithm_names) {
            for (const auto wire : {WireType::float32, WireType::float16, WireType::bfloat16}) {
                for (const std::int64_t segment : {std::int64_t{1} << 10, std::int64_t{1} << 18}) {
                    for (const std::size_t elements : {0U, 1U, 17U, 1000U, 5003U, 40'000U, 200'000U}) {
                        if (elements * 4 > 100 * static_cast<std::size_t>(segment)) continue;
                        check(ranks, world_size,
                              {.algorithm = algorithm, .segment_bytes = segment, .wire_type = wire}, false,
                              elements);
                    }
                }
            }
            for (const std::size_t elements : {1U, 1000U, 40'000U})
                check(ranks, world_size, {.algorithm = algorithm}, true, elements);
        }
    }
}

TEST_CASE("stated bytes of gathered pieces are those that every fabric counts") {
    for (std::size_t world_size = 2; world_size <= 5; ++world_size) {
        CountedRanks ranks(world_size);
        for (const auto algorithm : {AllReduceAlgorithm::automatic, AllReduceAlgorithm::ring}) {
            for (const double fraction : {0.01, 0.3}) {
                for (const std::size_t elements : {1U, 100U, 4001U}) {
                    check(ranks, world_size,
                          {.algorithm = algorithm, .wire_type = WireType::top_k, .top_k = {fraction}}, false,
                          elements);
                }
            }
        }
    }
}
