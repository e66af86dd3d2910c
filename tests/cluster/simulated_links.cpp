#include "cluster/simulated_links.hpp"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <chrono>
#include <exception>
#include <limits>
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
constexpr std::size_t most_multiple = 13;

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
        try {
            co_await turn();
            co_await inner_->write(header, payload);
        } catch (const NodeLostError&) {
            events_.failed(rank_);
            throw;
        }
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

/// What a rank adds to an element: a multiple of its value, another for each element near it.
float element_of(float value, std::size_t element) {
    return value * static_cast<float>(1 + element % most_multiple);
}

/// A part of a sum. The result is the sum of the values, or infinite if not all elements fit it.
awaitable<float> sum_of(Fabric& fabric, float value, const SimulatedLinks::Options& options) {
    std::vector<float> buffer(options.elements);
    for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = element_of(value, i);
    co_await summed(fabric, std::span(buffer),
                    {.algorithm = options.algorithm, .segment_bytes = options.segment_bytes});
    const auto sum = buffer[0];
    for (std::size_t i = 0; i < buffer.size(); ++i)
        if (buffer[i] != element_of(sum, i)) co_return std::numeric_limits<float>::infinity();
    co_return sum;
}

ExitCode code_of(const std::exception_ptr& error) {
    if (!error) return ExitCode::done;
    try {
        std::rethrow_exception(error);
    } catch (const Error& known) {
        return known.code();
    } catch (const std::exception&) {
        return ExitCode::bug;
    }
}

}  // namespace

SimulatedLinks::SimulatedLinks(Options options, Events events)
    : options_(options), events_(std::move(events)) {
    const auto executor = io_.get_executor();
    const auto ranks = options.ranks;
    FabricOptions of_fabrics{.deadline = never, .grace = never};
    // Two ranks share a host.
    for (std::int64_t rank = 0; rank < ranks; ++rank) of_fabrics.host_of_rank.push_back(rank / 2);
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        fabrics_.push_back(std::make_unique<Fabric>(executor, rank, ranks, of_fabrics));
        fabrics_.back()->on_failure([this, rank](const FabricFailure& /*failure*/) { events_.failed(rank); });
    }
    const auto end_of = [&](std::unique_ptr<Channel> inner, std::int64_t rank, std::int64_t peer) {
        return std::make_unique<TurnChannel>(std::move(inner), rank, peer, events_, executor);
    };
    for (std::int64_t rank = 0; rank < ranks; ++rank)
        for (std::int64_t peer = 0; peer < ranks; ++peer) {
            if (peer == rank) continue;
            auto [here, there] = make_memory_link(executor, fmt::format("node {}", rank),
                                                  fmt::format("node {}", peer), options.link_bytes);
            fabrics_.at(static_cast<std::size_t>(rank))->link_to(peer, end_of(std::move(here), rank, peer));
            fabrics_.at(static_cast<std::size_t>(peer))
                ->link_from(rank, end_of(std::move(there), peer, rank));
        }
}

SimulatedLinks::~SimulatedLinks() {
    close_all();
}

int SimulatedLinks::close_all() {
    for (const auto& fabric : fabrics_) fabric->close();
    poll();
    return under_way_;
}

void SimulatedLinks::sum(std::int64_t rank, float value) {
    ++under_way_;
    asio::co_spawn(io_, sum_of(*fabrics_.at(static_cast<std::size_t>(rank)), value, options_),
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
