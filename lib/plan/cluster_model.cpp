#include "plan/cluster_model.hpp"

#include <algorithm>
#include <iterator>

#include "exchange/all_reduce_schedule.hpp"

namespace convoy {
namespace {

HostModel host_model(const HostSpec& host) {
    constexpr double mega = 1e6;
    constexpr std::int64_t megabyte = 1'000'000;
    HostModel model{.cores = host.cpu};
    if (host.link_mbit) model.link_bits_per_s = *host.link_mbit * mega;
    if (host.memory_mb) model.memory_bytes = *host.memory_mb * megabyte;
    return model;
}

NodeModel node_model(const ExperimentSpec& spec, std::int64_t rank) {
    NodeModel node{.host = spec.host_of(rank), .threads = spec.node(rank).threads};
    const auto* measured = spec.measured();
    if (measured == nullptr || std::ssize(measured->nodes) != spec.world_size()) return node;
    const auto& calibration = measured->nodes[static_cast<std::size_t>(rank)];
    if (!node.threads) node.threads = static_cast<int>(calibration.threads);
    node.speeds = calibration.speeds;
    return node;
}

}  // namespace

ClusterModel cluster_model(const ExperimentSpec& spec) {
    ClusterModel model;
    for (std::int64_t rank = 0; rank < spec.world_size(); ++rank)
        model.nodes.push_back(node_model(spec, rank));
    for (std::int64_t host = 0; host < spec.host_count(); ++host)
        model.hosts.push_back(spec.cluster ? host_model(spec.cluster->host(host)) : HostModel{});
    if (spec.strategy.calibration) model.all_reduce = all_reduce_choices(*spec.strategy.calibration);
    if (const auto* measured = spec.measured()) {
        if (measured->hosts == spec.host_count()) model.links = measured->links;
        std::ranges::copy(measured->all_reduce, std::back_inserter(model.all_reduce));
    }
    return model;
}

std::optional<double> link_bits_per_s(const ClusterModel& cluster, std::int64_t host) {
    constexpr double mega = 1e6;
    auto rate = cluster.hosts.at(static_cast<std::size_t>(host)).link_bits_per_s;
    if (rate) return rate;
    for (const auto& link : cluster.links)
        if (link.from != link.to && (link.from == host || link.to == host))
            rate = std::min(rate.value_or(link.mbit * mega), link.mbit * mega);
    return rate;
}

LinkModel link_between(const ClusterModel& cluster, std::int64_t rank, std::int64_t other) {
    const auto host_of = [&](std::int64_t node) {
        return cluster.nodes.at(static_cast<std::size_t>(node)).host;
    };
    const auto [from, to] = std::minmax({host_of(rank), host_of(other)});
    for (const auto& link : cluster.links)
        if (link.from == from && link.to == to)
            return {.bits_per_s = link.mbit * 1e6, .latency_s = link.latency_us * 1e-6};
    if (from == to) return {};
    const auto& one = cluster.hosts.at(static_cast<std::size_t>(from)).link_bits_per_s;
    const auto& another = cluster.hosts.at(static_cast<std::size_t>(to)).link_bits_per_s;
    if (!one || !another) return {.bits_per_s = one ? one : another};
    return {.bits_per_s = std::min(*one, *another)};
}

AllReduceAlgorithm algorithm_for(const ClusterModel& cluster, std::int64_t bytes, std::int64_t ranks) {
    for (const auto& choice : cluster.all_reduce) {
        if (choice.nodes != ranks || (choice.up_to_bytes && bytes > *choice.up_to_bytes)) continue;
        if (choice.algorithm != AllReduceAlgorithm::automatic) return choice.algorithm;
        break;
    }
    return choose_algorithm(bytes, ranks);
}

}  // namespace convoy
