#include "bench/cluster_calibration.hpp"

#include <fmt/format.h>

#include "bench/link_calibration.hpp"

namespace convoy {
namespace {

/// A node that trained for so many times as long as it was told was alone in the end.
constexpr double most_overtime = 1.25;
constexpr int most_tries = 3;

/// Measures all nodes for the same time. How long two epochs of the slowest node take is not known before all
/// others train beside it.
MeasuredNodes measure_side_by_side(const ExperimentSpec& spec, const ClusterCalibration& how) {
    const auto rough = how.measure_nodes(spec, {.steps = how.steps});
    auto time = time_for_all(longest_training(rough.records.operators));
    for (int tries = 1;; ++tries) {
        auto measured = how.measure_nodes(spec, {.steps = how.steps, .time = time});
        const auto longest = longest_training(measured.records.operators);
        const bool together = spec.world_size() == 1 || longest <= most_overtime * time;
        if (together) return measured;
        if (tries == most_tries) {
            how.tell("a node trained longer than the others each time, and may seem too quick");
            return measured;
        }
        time = most_overtime * longest;
        how.tell(fmt::format("measuring them again, all for {:.0f} s", time.count()));
    }
}

std::vector<NodeCalibration> calibrate_nodes(const ExperimentSpec& spec, const ClusterCalibration& how) {
    const auto measured = measure_side_by_side(spec, how);
    std::vector<NodeCalibration> nodes;
    for (std::int64_t rank = 0; rank < spec.world_size(); ++rank) {
        const auto threads = measured.threads.at(static_cast<std::size_t>(rank));
        std::vector<OperatorRecord> rows;
        for (const auto& row : measured.records.operators)
            if (row.node == rank) rows.push_back(row);
        nodes.push_back({.host = spec.host_of(rank), .threads = threads, .speeds = speeds_of(rows)});
    }
    return nodes;
}

}  // namespace

CalibrationSpec calibrate_cluster(const ExperimentSpec& spec, const ClusterCalibration& how) {
    CalibrationSpec calibration{.hosts = spec.host_count()};
    how.tell(fmt::format("measuring the speed of {} nodes", spec.world_size()));
    calibration.nodes = calibrate_nodes(spec, how);
    if (spec.world_size() == 1) return calibration;
    how.tell("measuring links");
    calibration.links = calibrate_links(spec, how.measure_all_reduce);
    how.tell("measuring sums over all nodes");
    calibration.all_reduce =
        all_reduce_choices(calibrate_all_reduce(spec, how.all_reduce, how.measure_all_reduce));
    return calibration;
}

}  // namespace convoy
