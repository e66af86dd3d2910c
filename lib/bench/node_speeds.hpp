#pragma once

#include <span>
#include <vector>

#include "bench/operator_timing.hpp"
#include "job/node_job.hpp"
#include "spec/calibration_spec.hpp"

namespace convoy {

/// How the nodes of a spec measure their speeds.
struct SpeedMeasurement {
    std::int64_t steps = 30;  ///< of an epoch
    /// By rank: epochs, the first of which does not count. Empty: 2, to learn how long they take.
    std::vector<std::int64_t> epochs = {};
};

/// The bench of one node of a spec: its share of a batch, its kernels and threads.
OperatorBench bench_of_node(const ExperimentSpec& spec, std::int64_t rank, int threads, std::int64_t steps);

/// The epochs of each node with which all nodes train for the same time: two epochs of the slowest node, of
/// at least 1.5 s each. Nodes that share a processor disturb each other, so that a node which trains on alone
/// would seem too quick. epoch_us: the time of an epoch of each node, by rank.
std::vector<std::int64_t> epochs_of_equal_time(std::span<const double> epoch_us);

/// One node's part in measuring speeds (a NodeJob). All nodes begin at the same time. Each node trains on its
/// own share for its epochs. With given epochs it then adds arrays element by element for 1.5 s. It reports
/// the OperatorRecords of time_operators, and one for the additions.
void run_node_speeds(const SpeedMeasurement& how, const NodeAssignment& assignment, NodeReporter& reporter);

/// Computes one node's speeds from its records, in all layers and in each. A speed is the number of
/// operations, of pooling the number of bytes, divided by the sum of times, so the pauses of a processor
/// quota count.
NodeSpeeds speeds_of(std::span<const OperatorRecord> rows);

}  // namespace convoy
