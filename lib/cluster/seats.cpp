#include "cluster/seats.hpp"

#include <algorithm>

#include "hosts/emulated_hosts.hpp"
#include "measure/core_list.hpp"

namespace convoy {

namespace {

/// Absent: the cores that the node's hello tells.
std::optional<int> threads_of(const LaunchOptions& options, std::int64_t rank, std::int64_t local_nodes) {
    const auto& spec = options.spec;
    const bool added = rank >= spec.world_size();  // by the strategy
    if (!added && spec.node(rank).threads) return spec.node(rank).threads;
    // Threads share out sums too, and their order would depend on how many there are.
    if (spec.micro_batch_size) return 1;
    if (options.remote || (!added && rank >= local_nodes)) return std::nullopt;
    const int cores = options.cores > 0 ? options.cores : static_cast<int>(usable_cores());
    if (spec.cluster) return threads_on_host(spec, rank, cores);
    const auto local_ranks = local_nodes + options.world_size() - spec.world_size();
    return std::clamp(cores / static_cast<int>(local_ranks), 1, most_threads);
}

}  // namespace

std::vector<Seat> seats_of(const LaunchOptions& options) {
    const auto local_nodes = options.local_nodes.value_or(options.spec.world_size());
    std::vector<Seat> seats;
    for (std::int64_t rank = 0; rank < options.world_size(); ++rank) {
        const bool by_hand = rank >= local_nodes && rank < options.spec.world_size();
        seats.push_back({.by_hand = by_hand,
                         .remote = options.remote.has_value(),
                         .threads = threads_of(options, rank, local_nodes),
                         .serves = rank >= options.spec.world_size()});
    }
    return seats;
}

}  // namespace convoy
