#pragma once

#include <cstdint>
#include <filesystem>

#include "base/clock.hpp"
#include "report/table.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// The settings of `convoy bench operators`, which measures the training step of a spec's network on one
/// node.
struct OperatorBench {
    /// Its batch_size is the node's share. Its strategy, epochs and checkpoints are not used.
    ExperimentSpec spec;
    int threads = 1;  ///< compute threads
    /// Counted steps, behind as many that do not count; fewer if the data has no more.
    std::int64_t steps = 30;
    /// Two epochs of these steps are trained, of which the first does not count. More steps follow until so
    /// much time has passed since the first step.
    Seconds least_time{0.0};
};

/// The measured speeds of the operators.
struct OperatorSpeeds {
    Table table;               ///< one row for each operator, the longest time first
    double peak_gflops = 0.0;  ///< 100% of pct_of_peak: measured_peak_gflops of the compute type
};

/// Trains for some steps in this process. For each operator, the table has its time (median over the steps),
/// its FLOPs (graph/operator_cost.hpp), its speed as a share of the machine's peak, and the bytes that it
/// reads and writes in a second. Throws the errors of a run.
OperatorSpeeds bench_operators(const OperatorBench& bench, const std::filesystem::path& data_folder);

}  // namespace convoy
