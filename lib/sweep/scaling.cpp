#include "sweep/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "measure/durations.hpp"

namespace convoy {

namespace {

/// The settings of a row without one field.
std::vector<std::string> others(const SweepRow& row, std::size_t field) {
    auto settings = row.settings;
    settings.erase(settings.begin() + static_cast<std::ptrdiff_t>(field));
    return settings;
}

}  // namespace

std::optional<double> Scaling::efficiency_pct(std::size_t row) const {
    if (!speedups[row]) return std::nullopt;
    constexpr double per_cent = 100.0;
    return per_cent * *speedups[row] * baseline_nodes / nodes[row];
}

std::string Scaling::baseline() const {
    return fmt::format("{:g} {}", baseline_nodes, baseline_nodes == 1.0 ? "node" : "nodes");
}

std::optional<Scaling> scaling_of(const SweepRows& sweep) {
    const auto found = std::ranges::find(sweep.fields, "nodes");
    if (found == sweep.fields.end() || sweep.rows.empty()) return std::nullopt;
    const auto field = static_cast<std::size_t>(found - sweep.fields.begin());
    Scaling scaling;
    for (const auto& row : sweep.rows) {
        const auto nodes = setting_number(row.settings[field]);
        if (!nodes || *nodes <= 0.0) return std::nullopt;
        scaling.nodes.push_back(*nodes);
    }
    const auto [fewest, most] = std::ranges::minmax(scaling.nodes);
    if (fewest == most) return std::nullopt;
    scaling.baseline_nodes = fewest;
    std::map<std::vector<std::string>, std::vector<double>> baselines;
    for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
        const auto& row = sweep.rows[i];
        const auto throughput = row.result(throughput_column);
        if (scaling.nodes[i] != scaling.baseline_nodes || !throughput) continue;
        ++scaling.baseline_runs;
        if (row.not_quiet) ++scaling.not_quiet_baseline_runs;
        baselines[others(row, field)].push_back(*throughput);
    }
    for (const auto& row : sweep.rows) {
        auto& speedup = scaling.speedups.emplace_back();
        const auto baseline = baselines.find(others(row, field));
        const auto throughput = row.result(throughput_column);
        if (baseline == baselines.end() || !throughput) continue;
        const auto median_throughput = median(baseline->second);
        if (median_throughput > 0.0) speedup = *throughput / median_throughput;
    }
    return scaling;
}

}  // namespace convoy
