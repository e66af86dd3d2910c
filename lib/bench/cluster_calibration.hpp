#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/all_reduce_calibration.hpp"
#include "bench/node_speeds.hpp"
#include "spec/calibration_spec.hpp"

namespace convoy {

/// The measured speeds of a spec's nodes.
struct MeasuredNodes {
    NodeRecords records;
    std::vector<int> threads;  ///< by rank
};

/// The settings of `convoy calibrate`, and the functions with which it runs nodes.
struct ClusterCalibration {
    /// Runs run_node_speeds on the nodes of a spec. Called first to learn how long two epochs take, then to
    /// measure all nodes for the same time, and again if a node needed much longer.
    std::function<MeasuredNodes(const ExperimentSpec&, const SpeedMeasurement&)> measure_nodes;
    MeasureAllReduce measure_all_reduce;
    AllReduceBench all_reduce;  ///< its sizes must ascend
    std::int64_t steps = 30;    ///< training steps of an epoch
    /// Receives a line for the user before each part.
    std::function<void(const std::string&)> tell = [](const std::string&) {};
};

/// Measures the nodes of a spec on its hosts, its links, and the fastest algorithms for sums over all nodes.
/// A single node has no links. Throws the errors of the measurements.
CalibrationSpec calibrate_cluster(const ExperimentSpec& spec, const ClusterCalibration& how);

}  // namespace convoy
