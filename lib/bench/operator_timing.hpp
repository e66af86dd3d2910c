#pragma once

#include <filesystem>
#include <vector>

#include "bench/operator_bench.hpp"
#include "measure/records.hpp"

namespace convoy {

/// Trains for some steps in this process, on one node, and returns the times of the operators in the counted
/// steps, the longest time first. Throws the errors of a run.
std::vector<OperatorRecord> time_operators(const OperatorBench& bench,
                                           const std::filesystem::path& data_folder);

}  // namespace convoy
