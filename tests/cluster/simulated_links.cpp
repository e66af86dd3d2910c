#include "cluster/simulated_links.hpp"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <chrono>
#include <exception>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "collective/run.hpp"
#include "net/memory_channel.hpp"
#include "net/signal.hpp"

namespace asio = boost::asio;
using asio::awaitable;
using namespace convoy;

namespace {

/// Deadlines are the run's, in its own time.
constexpr std::chrono::hours never{1};
/// Enough for the parts of five ranks, of which some are empty.
constexpr std::size_t elements = 7;

/// An end of a link whose calls wait for their turns.
class TurnChannel final : public Channel {
  public:
    TurnChannel(std::unique_ptr<Channel> inner, std::int64_t rank, std::int64_t peer,
                const SimulatedLinks::Events& events, asio::any_io_executor executor)
        : Channel(inner->peer()),
          inner_(std::move(inner)),
          rank_(rank),
          peer_(peer),
          events_(events),
          executor_(std::move(executor)) {}

    awaitable<void> write(std::span<const std::byte> header, std::span<const std::byte> payload) override {
        co_await turn();
        co_await inner_->write(header, payload);
        events_.moved(rank_);
    }
    awaitable<void> read(std::span<std::byte> into) override {
        co_await turn();
        co_await inner_->read(into);
        events_.moved(rank_);
    }
    awaitable<std::size_t> read_some_more(std::span<std::byte> header, std::span<std::byte> more) override {
        co_await turn();
        const auto count = co_await inner_->read_some_more(header, more);
        events_.moved(rank_);
        co_return count;
    }
    void close() override {
        closed_ = true;
        for (const auto& waiting : turns_)
            if (const auto signal = waiting.lock()) signal->notify();
        inner_->close();
    }

  private:
    awaitable<void> turn() {
        if (closed_) fail("the connection was closed on this side");
        const auto mine = std::make_shared<Signal>(executor_);
        std::erase_if(turns_, [](const auto& waiting) { return waiting.expired(); });
        turns_.push_back(mine);
        events_.wants_turn(rank_, peer_, [waiting = std::weak_ptr(mine)] {
            if (const auto signal = waiting.lock()) signal->notify();
        });
        co_await mine->wait();
        if (closed_) fail("the connection was closed on this side");
    }

    std::unique_ptr<Channel> inner_;
    std::int64_t rank_, peer_;
    const SimulatedLinks::Events& events_;
    asio::any_io_executor executor_;
    std::vector<std::weak_ptr<Signal>> turns_;  ///< of a call that sends, and of one that receives
    bool closed_ = false;
};

/// A part of a sum of (value, value + 1, ...). The result is the sum of the values, or infinite if the other
/// elements do not fit it.
awaitable<float> sum_of(Fabric& fabric, float value, AllReduceAlgorithm algorithm) {
    std::vector<float> buffer(elements);
    std::iota(buffer.begin(), buffer.end(), value);
    co_await summed(fabric, std::span(buffer), {.algorithm = algorithm});
    const auto apart = static_cast<float>(fabric.world_size());
    for (std::size_t i = 1; i < elements; ++i)
        if (buffer[i] != buffer[0] + apart * static_cast<float>(i))
            co_return std::numeric_limits<float>::infinity();
    co_return buffer[0];
}

ExitCode code_of(const std::exception_ptr& error) {
    if (!error) return ExitCode::done;
    try {
        std::rethrow_exception(error);
    } catch (const Error& known) {
        return known.code();
    }
}

}  // namespace

SimulatedLinks::SimulatedLinks(std::int64_t ranks, AllReduceAlgorithm algorithm, Events events)
    : algorithm_(algorithm), events_(std::move(events)) {
    const auto executor = io_.get_executor();
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        fabrics_.push_back(std::make_unique<Fabric>(executor, rank, ranks,
                                                    FabricOptions{.deadline = never, .grace = never}));
        fabrics_.back()->on_failure([this, rank](const FabricFailure& /*failure*/) { events_.failed(rank); });
    }
    const auto end_of = [&](std::unique_ptr<Channel> inner, std::int64_t rank, std::int64_t peer) {
        return std::make_unique<TurnChannel>(std::move(inner), rank, peer, events_, executor);
    };
    for (std::int64_t rank = 0; rank < ranks; ++rank)
        for (std::int64_t peer = 0; peer < ranks; ++peer) {
            if (peer == rank) continue;
            auto [here, there] =
                make_memory_link(executor, fmt::format("node {}", rank), fmt::format("node {}", peer));
            fabrics_.at(static_cast<std::size_t>(rank))->link_to(peer, end_of(std::move(here), rank, peer));
            fabrics_.at(static_cast<std::size_t>(peer))
                ->link_from(rank, end_of(std::move(there), peer, rank));
        }
}

SimulatedLinks::~SimulatedLinks() {
    for (const auto& fabric : fabrics_) fabric->close();
    poll();
    if (under_way_ > 0) std::terminate();  // a sum outlives its links
}

void SimulatedLinks::sum(std::int64_t rank, float value) {
    ++under_way_;
    asio::co_spawn(io_, sum_of(*fabrics_.at(static_cast<std::size_t>(rank)), value, algorithm_),
                   [this, rank](const std::exception_ptr& error, float sum) {
                       --under_way_;
                       events_.ended(rank, sum, code_of(error));
                   });
}

void SimulatedLinks::close(std::int64_t rank) {
    fabrics_.at(static_cast<std::size_t>(rank))->close();
}

void SimulatedLinks::poll() {
    io_.restart();
    io_.poll();
}
