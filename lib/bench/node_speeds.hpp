#pragma once

#include <span>

#include "bench/operator_timing.hpp"
#include "job/node_job.hpp"
#include "spec/calibration_spec.hpp"

namespace convoy {

/// The bench of one node of a spec: its share of a batch, its kernels and threads.
OperatorBench bench_of_node(const ExperimentSpec& spec, std::int64_t rank, int threads, std::int64_t steps);

/// One node's part in measuring speeds (a NodeJob). All nodes begin at the same time. Each node trains on its
/// own share for `steps` steps, and repeats this for at least 1.5 s. Then it adds arrays element by element
/// for the same time. It reports the OperatorRecords of time_operators, and one for the additions.
void run_node_speeds(std::int64_t steps, const NodeAssignment& assignment, NodeReporter& reporter);

/// Computes one node's speeds from its records, in all layers and in each. A speed is the number of
/// operations, of pooling the number of bytes, divided by the sum of times, so the pauses of a processor
/// quota count.
NodeSpeeds speeds_of(std::span<const OperatorRecord> rows);

}  // namespace convoy
