#pragma once

#include <filesystem>
#include <vector>

#include "base/clock.hpp"
#include "bench/operator_bench.hpp"
#include "measure/records.hpp"

namespace convoy {

/// The times of operators in a training on one node.
struct TimedOperators {
    std::vector<OperatorRecord> rows;  ///< of the counted steps, the longest time first
    Seconds training{0.0};             ///< from the first step to the end, with the steps that do not count
};

/// Trains for some steps in this process, on one node. Throws the errors of a run.
TimedOperators time_operators(const OperatorBench& bench, const std::filesystem::path& data_folder);

}  // namespace convoy
