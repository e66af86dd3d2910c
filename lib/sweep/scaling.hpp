#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/sweep_rows.hpp"

namespace convoy {

/// How the throughput of a sweep grows with the nodes. The baseline of a run are the runs with the smallest
/// number of nodes in the grid whose other settings are the same.
struct Scaling {
    double baseline_nodes = 0.0;
    /// For each row: its nodes.
    std::vector<double> nodes;
    /// For each row: its throughput divided by the median throughput of its baseline. Absent if one of the
    /// two is not known, as for a run that is not done.
    std::vector<std::optional<double>> speedups;
    /// The baseline runs that are done, and those of them that are not quiet.
    std::size_t baseline_runs = 0, not_quiet_baseline_runs = 0;

    /// speedup * baseline_nodes / nodes, in per cent: 100 if the throughput grows as the nodes do.
    [[nodiscard]] std::optional<double> efficiency_pct(std::size_t row) const;
    /// The baseline for people: "1 node", "2 nodes".
    [[nodiscard]] std::string baseline() const;
};

/// The column of runs.csv that has the throughput.
inline constexpr std::string_view throughput_column = "examples_per_second";

/// Finds the speed-up of each run. sweep: with the column throughput_column. Absent if the grid does not vary
/// `nodes`, or has a value of it that is no number or not positive.
std::optional<Scaling> scaling_of(const SweepRows& sweep);

}  // namespace convoy
