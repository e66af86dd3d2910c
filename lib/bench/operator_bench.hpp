#pragma once

#include <cstdint>
#include <filesystem>

#include "report/table.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// What `convoy bench operators` measures: the training step of a spec's network, on one node.
struct OperatorBench {
    ExperimentSpec
        spec;         ///< its batch_size is the node's share; strategy, epochs and checkpoints do not matter
    int threads = 1;  ///< compute threads
    std::int64_t steps = 30;  ///< that count, behind as many that do not; fewer where the data has no more
    std::int64_t epochs = 2;  ///< of these steps; the first does not count
};

/// What the operators did.
struct OperatorSpeeds {
    Table table;               ///< the longest first
    double peak_gflops = 0.0;  ///< what pct_of_peak is of: measured_peak_gflops of the compute type
};

/// Trains for some steps in this process and says how long each operator took (median over the steps), how
/// many FLOPs it has (graph/operator_cost.hpp), how fast it was beside the machine's peak, and how many bytes
/// it read and wrote a second. Throws as a run does.
OperatorSpeeds bench_operators(const OperatorBench& bench, const std::filesystem::path& data_folder);

}  // namespace convoy
