#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bench/all_reduce_bench.hpp"
#include "measure/durations.hpp"

namespace convoy {
namespace {

/// One size over all nodes.
struct SizeResult {
    std::map<std::int64_t, double> slowest_us;  ///< by iteration
    std::int64_t wrong = 0;
};

Column figure(std::string name, Shown shown, std::string unit = "") {
    return {.name = std::move(name), .unit = std::move(unit), .left = false, .shown = std::move(shown)};
}

std::vector<double> sorted_times(const SizeResult& result) {
    std::vector<double> times;
    for (const auto& [iteration, time] : result.slowest_us) times.push_back(time);
    std::ranges::sort(times);
    return times;
}

std::vector<SizeResult> results_of(const AllReduceBench& bench, const NodeRecords& records) {
    std::vector<SizeResult> results(bench.sizes.size());
    for (const auto& step : records.steps) {
        auto& result = results.at(static_cast<std::size_t>(step.epoch - 1));
        auto& slowest = result.slowest_us[step.step];
        slowest = std::max(slowest, step.step_us);
        result.wrong += step.examples - step.correct;
    }
    return results;
}

}  // namespace

std::vector<double> all_reduce_medians_us(const AllReduceBench& bench, const NodeRecords& records) {
    std::vector<double> medians;
    for (const auto& result : results_of(bench, records))
        medians.push_back(quantile(sorted_times(result), 0.5));
    return medians;
}

Table all_reduce_table(const AllReduceBench& bench, std::int64_t nodes, const NodeRecords& records) {
    const auto results = results_of(bench, records);
    const auto algorithm = std::ranges::find(all_reduce_algorithm_names, bench.options.algorithm,
                                             [](const auto& named) { return named.second; });
    Table table{.name = "allreduce",
                .title = fmt::format("All-reduce over {} nodes, {}", nodes, algorithm->first),
                .columns = {figure("size", {"B", 1.0, 0}), figure("count", {"", 1.0, 0}), figure("type", {}),
                            figure("wire", {}), figure("iterations", {"", 1.0, 0}),
                            figure("min", {"us", 1.0, 1}, "us"), figure("time", {"us", 1.0, 1}, "us"),
                            figure("p99", {"us", 1.0, 1}, "us"), figure("algbw", {"GB/s", 1.0, 3}),
                            figure("busbw", {"GB/s", 1.0, 3}), figure("wrong", {"", 1.0, 0})},
                .rows = {}};
    const auto n = static_cast<double>(nodes);
    const auto named = std::ranges::find(wire_type_names, bench.options.wire_type,
                                         &std::pair<std::string_view, WireType>::second);
    const std::string wire(named->first);
    for (std::size_t i = 0; i < results.size(); ++i) {
        const auto times = sorted_times(results[i]);
        if (times.empty()) continue;
        const auto size = bench.sizes[i];
        const auto median = quantile(times, 0.5);
        const auto bandwidth = static_cast<double>(size) / median / 1e3;
        table.rows.push_back({size, size / 4, std::string("float32"), wire, std::ssize(times), times.front(),
                              median, quantile(times, 0.99), bandwidth, bandwidth * 2.0 * (n - 1.0) / n,
                              results[i].wrong});
    }
    return table;
}

}  // namespace convoy
