#pragma once

#include <optional>
#include <span>

#include "base/clock.hpp"
#include "bench/operator_timing.hpp"
#include "job/node_job.hpp"
#include "spec/calibration_spec.hpp"

namespace convoy {

/// How the nodes of a spec measure their speeds.
struct SpeedMeasurement {
    std::int64_t steps = 30;  ///< of an epoch
    /// All nodes train for so long at least. Absent: two epochs, to learn how long they take.
    std::optional<Seconds> time = {};
};

/// The bench of one node of a spec: its share of a batch, its kernels and threads.
OperatorBench bench_of_node(const ExperimentSpec& spec, std::int64_t rank, int threads, std::int64_t steps);

/// The longest time for which a node trained, from the records of all nodes.
Seconds longest_training(std::span<const OperatorRecord> rows);

/// The time for which all nodes train: the longest time in which one trained two epochs, but 3 s at least.
/// Nodes that share a processor disturb each other. A node that trains on when others have ended would seem
/// too quick.
Seconds time_for_all(Seconds longest);

/// One node's part in measuring speeds (a NodeJob). All nodes begin at the same time. Each node trains on its
/// own share of a batch. If it is told how long, it then adds arrays element by element for 1.5 s. It reports
/// the OperatorRecords of time_operators, one for the whole training, and one for the additions.
void run_node_speeds(const SpeedMeasurement& how, const NodeAssignment& assignment, NodeReporter& reporter);

/// Computes one node's speeds from its records, in all layers and in each. A speed is the number of
/// operations, of pooling the number of bytes, divided by the sum of times, so the pauses of a processor
/// quota count.
NodeSpeeds speeds_of(std::span<const OperatorRecord> rows);

}  // namespace convoy
