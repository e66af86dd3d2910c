#include "bench/cluster_calibration.hpp"

#include <fmt/format.h>

#include "bench/link_calibration.hpp"

namespace convoy {
namespace {

/// The time of the one epoch that counts, by rank.
std::vector<double> epoch_times_us(const ExperimentSpec& spec, const MeasuredNodes& measured) {
    std::vector<double> times(static_cast<std::size_t>(spec.world_size()), 0.0);
    for (const auto& row : measured.records.operators)
        times.at(static_cast<std::size_t>(row.node)) += row.total_us;
    return times;
}

std::vector<NodeCalibration> calibrate_nodes(const ExperimentSpec& spec, const ClusterCalibration& how) {
    const auto rough = how.measure_nodes(spec, {.steps = how.steps});
    const auto measured =
        how.measure_nodes(spec, {.steps = how.steps, .time = time_for_all(epoch_times_us(spec, rough))});
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
