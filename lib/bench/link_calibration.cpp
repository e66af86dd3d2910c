#include "bench/link_calibration.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace convoy {
namespace {

using HostPair = std::pair<std::int64_t, std::int64_t>;
constexpr std::int64_t small_bytes = 4;

std::set<HostPair> pairs_of(const ExperimentSpec& spec) {
    constexpr std::size_t most_for_all_pairs = 6;
    std::map<std::int64_t, std::int64_t> nodes_on;
    for (std::int64_t rank = 0; rank < spec.world_size(); ++rank) ++nodes_on[spec.host_of(rank)];
    std::vector<std::int64_t> hosts;
    std::set<HostPair> pairs;
    for (const auto& [host, nodes] : nodes_on) {
        hosts.push_back(host);
        if (nodes > 1) pairs.emplace(host, host);
    }
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        for (std::size_t j = i + 1; j < hosts.size(); ++j) {
            const bool next = j == i + 1 || (i == 0 && j + 1 == hosts.size());
            if (next || hosts.size() <= most_for_all_pairs) pairs.emplace(hosts[i], hosts[j]);
        }
    }
    return pairs;
}

/// Two nodes, on hosts with the limits of these two.
ExperimentSpec spec_of_pair(const ExperimentSpec& spec, const HostPair& pair,
                            const AllReduceOptions& options) {
    auto two = spec;
    two.nodes = {NodeSpec{.threads = 1, .host = {}, .kernels = {}},
                 NodeSpec{.threads = 1, .host = {}, .kernels = {}}};
    if (spec.cluster) {
        two.cluster = ClusterSpec{.own_limits = {spec.cluster->host(pair.first)}};
        if (pair.first != pair.second) two.cluster->own_limits.push_back(spec.cluster->host(pair.second));
        two.cluster->hosts = std::ssize(two.cluster->own_limits);
    }
    return all_reduce_bench_spec(two, options);
}

/// A buffer that the slower of both links carries in about a tenth of a second, as a power of two.
std::int64_t large_bytes(const ExperimentSpec& two) {
    constexpr double seconds = 0.1;
    constexpr std::int64_t least = std::int64_t{1} << 16, most = std::int64_t{1} << 24;
    double mbit = 1e6;
    for (std::int64_t host = 0; two.cluster && host < two.host_count(); ++host)
        mbit = std::min(mbit, two.cluster->host(host).link_mbit.value_or(mbit));
    const auto bytes =
        static_cast<std::uint64_t>(std::clamp(mbit * 1e6 / 8.0 * seconds, double(least), double(most)));
    return static_cast<std::int64_t>(std::bit_floor(bytes));
}

}  // namespace

std::vector<LinkCalibration> calibrate_links(const ExperimentSpec& spec, const MeasureAllReduce& measure) {
    std::vector<LinkCalibration> links;
    AllReduceBench bench{.iterations = 20};
    bench.options.algorithm = AllReduceAlgorithm::recursive_doubling;  // one exchange of the whole buffer
    for (const auto& pair : pairs_of(spec)) {
        const auto two = spec_of_pair(spec, pair, bench.options);
        bench.sizes = {small_bytes, large_bytes(two)};
        const auto records = measure(two, bench);
        check_sums(records, bench.options.algorithm);
        const auto times = all_reduce_medians_us(bench, records);
        const auto bits = static_cast<double>(bench.sizes[1] - bench.sizes[0]) * 8.0;
        const auto us = std::max(times.at(1) - times.at(0), 1e-3);
        links.push_back({.from = pair.first,
                         .to = pair.second,
                         .mbit = std::clamp(bits / us, 1e-3, 1e6),
                         .latency_us = times.at(0)});
    }
    return links;
}

}  // namespace convoy
