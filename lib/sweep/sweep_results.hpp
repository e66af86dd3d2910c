#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/table.hpp"
#include "sweep/sweep_folder.hpp"
#include "sweep/sweep_spec.hpp"

namespace convoy {

/// A run of a sweep that is done.
struct KeptRun {
    /// Its settings, as in "batch_size=96, seed=1", and its repeat if there are several.
    std::string label;
    std::filesystem::path folder;  ///< a run folder
};

/// A sweep's folder as it was read.
struct KeptSweep {
    Sweep sweep;
    std::vector<SweepEntry> entries;  ///< one for each run of the sweep; at least one is done
};
/// Throws as kept_runs does.
KeptSweep kept_sweep(const std::filesystem::path& sweep_folder);

/// The runs in a sweep's folder that are done, in the sweep's order. Throws DataError if the folder is not a
/// sweep's, if it is damaged, or if it has no runs of this version.
std::vector<KeptRun> kept_runs(const std::filesystem::path& sweep_folder);

/// The medians_table, the medians_data and the measurement_line of a sweep's folder.
struct KeptMedians {
    Table medians, data;
    std::string measurement;
};
/// Throws as kept_runs does.
KeptMedians kept_medians(const std::filesystem::path& sweep_folder);

}  // namespace convoy
