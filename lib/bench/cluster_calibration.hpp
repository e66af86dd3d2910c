#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/all_reduce_calibration.hpp"
#include "spec/calibration_spec.hpp"

namespace convoy {

/// What the nodes of a spec told of their speed.
struct MeasuredNodes {
    NodeRecords records;
    std::vector<int> threads;  ///< by rank
};

/// How `convoy calibrate` reaches nodes, and what it measures.
struct ClusterCalibration {
    /// Runs run_node_speeds on the nodes of a spec.
    std::function<MeasuredNodes(const ExperimentSpec&)> measure_nodes;
    MeasureAllReduce measure_all_reduce;
    AllReduceBench all_reduce;                                                 ///< its sizes ascend
    std::int64_t steps = 30;                                                   ///< of training, that count
    std::function<void(const std::string&)> tell = [](const std::string&) {};  ///< a line before each part
};

/// Measures the nodes of a spec on its hosts, its links, and the fastest algorithm for sums over all nodes.
/// One node has no links. Throws as the measurements do.
CalibrationSpec calibrate_cluster(const ExperimentSpec& spec, const ClusterCalibration& how);

}  // namespace convoy
