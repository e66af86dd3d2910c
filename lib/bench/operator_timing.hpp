#pragma once

#include <filesystem>
#include <vector>

#include "bench/operator_bench.hpp"
#include "measure/records.hpp"

namespace convoy {

/// Trains for some steps in this process, alone, and returns what each operator took in the steps that count,
/// the longest first. Throws as a run does.
std::vector<OperatorRecord> time_operators(const OperatorBench& bench,
                                           const std::filesystem::path& data_folder);

}  // namespace convoy
