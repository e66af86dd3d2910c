#pragma once

#include <filesystem>

#include "report/run_differences.hpp"
#include "sweep/sweep_comparison.hpp"

namespace convoy {

/// Compares two sweeps by their folders, as compare_sweeps does. The first note tells if one sweep ran after
/// the other.
SweepComparison compare_sweep_folders(const std::filesystem::path& a, const std::filesystem::path& b);

/// The sweep, and the environment of one of its runs. A sweep refuses runs of another build or other data,
/// unless the user accepts them, so one run speaks for all. Throws as described_run.
DescribedRuns described_sweep(const std::filesystem::path& folder);

}  // namespace convoy
