#pragma once

#include <span>

#include "bench/operator_timing.hpp"
#include "job/node_job.hpp"
#include "spec/calibration_spec.hpp"

namespace convoy {

/// The bench of one node of a spec: its share of a batch, its kernels and threads.
OperatorBench bench_of_node(const ExperimentSpec& spec, std::int64_t rank, int threads, std::int64_t steps);

/// One node's part in measuring speeds, a NodeJob. All nodes begin together; each trains on its own share for
/// some steps, again and again for at least 1.5 s, then adds arrays element by element for as long. It
/// reports OperatorRecords: those of time_operators, and one of the additions.
void run_node_speeds(std::int64_t steps, const NodeAssignment& assignment, NodeReporter& reporter);

/// The speeds that one node's records tell. A speed is operations over the sum of times, so that pauses count
/// that a processor quota makes.
NodeSpeeds speeds_of(std::span<const OperatorRecord> rows);

}  // namespace convoy
