#include "support/memory_network.hpp"

#include <omp.h>

#include <mutex>
#include <thread>

#include "net/memory_fabric.hpp"

namespace convoy::test {
namespace {

std::vector<std::int64_t> all_but(std::int64_t rank, std::int64_t nodes) {
    std::vector<std::int64_t> others;
    for (std::int64_t other = 0; other < nodes; ++other)
        if (other != rank) others.push_back(other);
    return others;
}

}  // namespace

MemoryNetwork::MemoryNetwork(std::int64_t nodes, const NetworkOptions& options) {
    for (std::int64_t rank = 0; rank < nodes; ++rank) {
        const bool dies = options.death && options.death->rank == rank;
        lives_.push_back(
            std::make_shared<Lifespan>(dies ? std::optional(options.death->frame) : std::nullopt));
    }
    std::vector<std::vector<std::unique_ptr<Fabric>>> fabrics(lives_.size());
    for (std::int64_t connection = 0; connection < options.connections; ++connection) {
        auto all = make_memory_fabrics(
            io_.context().get_executor(), nodes, [nodes](std::int64_t rank) { return all_but(rank, nodes); },
            options.fabric, std::size_t{1} << 18U,
            [this](std::int64_t rank, std::unique_ptr<Channel> channel) {
                return make_mortal(std::move(channel), lives_.at(index(rank)));
            });
        for (std::size_t rank = 0; rank < all.size(); ++rank) fabrics[rank].push_back(std::move(all[rank]));
    }
    for (auto& of_rank : fabrics)
        communicators_.push_back(std::make_unique<FabricCommunicator>(io_, std::move(of_rank)));
}

std::vector<RankError> on_all_ranks(
    MemoryNetwork& network, const std::function<void(std::int64_t rank, Communicator& communicator)>& work) {
    std::mutex mutex;
    std::vector<RankError> errors;
    const auto run = [&](std::int64_t rank, int threads) {
        omp_set_num_threads(threads);
        try {
            work(rank, network.of_rank(rank));
        } catch (...) {
            {
                const std::lock_guard lock(mutex);
                errors.push_back({rank, std::current_exception()});
            }
            network.leave(rank);
        }
    };
    std::vector<std::jthread> threads;
    for (std::int64_t rank = 0; rank < network.size(); ++rank)
        threads.emplace_back(run, rank, omp_get_max_threads());
    threads.clear();  // joins them
    return errors;
}

}  // namespace convoy::test
