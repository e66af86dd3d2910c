#include "bench/all_reduce_calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace convoy {
namespace {

constexpr double close_to_best = 1.05;

std::int64_t between(std::int64_t size, std::int64_t next) {
    return std::llround(std::sqrt(static_cast<double>(size) * static_cast<double>(next)));
}

/// Whether an algorithm may be the best one for these nodes.
bool is_candidate(AllReduceAlgorithm algorithm, const ExperimentSpec& spec) {
    const auto nodes = spec.world_size();
    switch (algorithm) {
        case AllReduceAlgorithm::automatic:
        case AllReduceAlgorithm::mpi: return false;
        case AllReduceAlgorithm::pairwise: return nodes <= pairwise_max_nodes;
        case AllReduceAlgorithm::hierarchical: return spec.host_count() > 1 && spec.host_count() < nodes;
        default: return true;
    }
}

}  // namespace

AllReduceCalibration calibration_of(std::int64_t nodes, std::span<const std::int64_t> sizes,
                                    const AlgorithmTimes& times) {
    AllReduceCalibration calibration{.nodes = nodes, .ranges = {}};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto time = [i](const auto& algorithm) { return algorithm.second.at(i); };
        const auto best = std::ranges::min_element(times, {}, time);
        const auto before = times.find(calibration.beyond);
        if (before != times.end()) {
            if (time(*before) <= close_to_best * time(*best)) continue;
            calibration.ranges.push_back({between(sizes[i - 1], sizes[i]), calibration.beyond});
        }
        calibration.beyond = best->first;
    }
    return calibration;
}

ExperimentSpec all_reduce_bench_spec(const ExperimentSpec& spec, const AllReduceOptions& options) {
    auto bench = spec;
    bench.calibration.reset();
    bench.micro_batch_size.reset();
    bench.checkpoints.reset();
    bench.batch_size = std::max(spec.batch_size, spec.world_size());
    bench.strategy = StrategySpec{.algorithm = options.algorithm, .connections = spec.strategy.connections};
    // Hosts of servers have nobody here.
    if (auto& cluster = bench.cluster; cluster && cluster->hosts_for(spec.world_size()) > spec.world_size()) {
        cluster->hosts = spec.world_size();
        if (!cluster->own_limits.empty())
            cluster->own_limits.resize(static_cast<std::size_t>(spec.world_size()));
    }
    return bench;
}

void check_sums(const NodeRecords& records, AllReduceAlgorithm algorithm) {
    const auto is_wrong = [](const StepRecord& sum) { return sum.correct != sum.examples; };
    if (std::ranges::none_of(records.steps, is_wrong)) return;
    const auto* named = std::ranges::find(all_reduce_algorithm_names, algorithm,
                                          &std::pair<std::string_view, AllReduceAlgorithm>::second);
    throw InternalError(fmt::format("{} sums wrongly", named->first));
}

AllReduceCalibration calibrate_all_reduce(const ExperimentSpec& spec, AllReduceBench bench,
                                          const MeasureAllReduce& measure) {
    AlgorithmTimes times;
    for (const auto& [name, algorithm] : all_reduce_algorithm_names) {
        if (!is_candidate(algorithm, spec)) continue;
        bench.options.algorithm = algorithm;
        const auto records = measure(all_reduce_bench_spec(spec, bench.options), bench);
        check_sums(records, algorithm);
        times[algorithm] = all_reduce_medians_us(bench, records);
    }
    return calibration_of(spec.world_size(), bench.sizes, times);
}

}  // namespace convoy
