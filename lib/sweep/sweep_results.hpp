#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/table.hpp"

namespace convoy {

/// A run of a sweep that is done.
struct KeptRun {
    std::string label;  ///< its settings, as "batch_size=96, seed=1"; with its repeat where there are several
    std::filesystem::path folder;  ///< a run folder
};

/// The runs that a sweep's folder has so far, in the sweep's order. Throws DataError where the folder is no
/// sweep's or is damaged, or where it has none of this version's runs.
std::vector<KeptRun> kept_runs(const std::filesystem::path& sweep_folder);

/// The medians_table of a sweep's folder. Throws as kept_runs does.
Table kept_medians(const std::filesystem::path& sweep_folder);

}  // namespace convoy
